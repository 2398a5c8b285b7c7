// RUN: xshardy-opt %s -p sdy-apply-sharding-constraints | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// What @main returns has the sharding before the constraints.
// CHECK-LABEL: func.func @main
// CHECK:         return %arg0
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a", ?}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"b", ?}]> : tensor<8xf32>
  return %x : tensor<8xf32>
}

// What another function returns is a use like any other.
// CHECK-LABEL: func.func private @callee
// CHECK:         %1 = sdy.sharding_constraint %0
// CHECK-NEXT:    return %1
func.func private @callee(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a", ?}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"b", ?}]> : tensor<8xf32>
  return %x : tensor<8xf32>
}
