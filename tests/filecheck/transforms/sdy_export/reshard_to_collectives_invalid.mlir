// RUN: xshardy-opt %s -p sdy-reshard-to-collectives --verify-diagnostics | filecheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK: reshard_to_collectives_invalid.mlir:9:8: error: 'sdy.reshard' op changes the axes that its operand is unreduced along
// CHECK-SAME: reduce it before
func.func @reduces(%t: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}], unreduced={"y"}>}) -> tensor<16xf32> {
  %0 = sdy.reshard %t <@mesh, [{}], unreduced={"y"}> : tensor<16xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<16xf32>
  return %1 : tensor<16xf32>
}
