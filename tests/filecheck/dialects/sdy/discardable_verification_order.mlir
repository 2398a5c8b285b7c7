// RUN: xshardy-opt %s --verify-diagnostics | filecheck %s
// RUN: xdsl-opt %s --verify-diagnostics | filecheck %s --check-prefix=XDSL

// An operation is verified after those around it. xDSL verifies it before them, and without their attributes.
// CHECK: arg 0 - unknown axis name: "q"
// XDSL: operand - unknown axis name: "q"
sdy.mesh @mesh = <["a"=2]>
func.func @argument_before_its_reader(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"q"}]>}) {
  %0 = sdy.collective_permute %x out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  func.return
}
