// RUN: xshardy-opt %s -p sdy-sharding-constraint-to-reshard | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// In regions too, and without a use; what else is written on a constraint stays.
// CHECK-LABEL: @constraints
// CHECK-NEXT: sdy.reshard %arg0 <@mesh, [{"a", ?}]> {note = "mine"} : tensor<8xf32>
// CHECK-NEXT: sdy.reshard %0 <@mesh, [{}], unreduced={"b"}> : tensor<8xf32>
// CHECK: sdy.reshard %arg1 <@mesh, [{"b"}]> : tensor<4xf32>
// CHECK: sdy.reshard %2 <@mesh, [{"b"}]> : tensor<8xf32>
// CHECK-NOT: sharding_constraint
func.func @constraints(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a", ?}]> {note = "mine"} : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}], unreduced={"b"}> : tensor<8xf32>
  %2 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<4xf32>) {
    %3 = sdy.sharding_constraint %y <@mesh, [{"b"}]> : tensor<4xf32>
    sdy.return %3 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %4 = sdy.reshard %2 <@mesh, [{"b"}]> : tensor<8xf32>
  return %4 : tensor<8xf32>
}
