// RUN: xshardy-opt %s -p sdy-basic-propagate 2>&1 | filecheck %s

// Members with different axes are in conflict, also where both could be sharded further.
// CHECK: warning: The initial operand shardings on the sharding groups of groupID: 0 do not match.
// CHECK-LABEL: func.func @conflict(%arg0
// CHECK-NEXT:    %{{.*}} = sdy.sharding_constraint %arg1
// CHECK-NEXT:    %{{.*}} = sdy.sharding_constraint %arg0
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @conflict(
    %x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>},
    %y: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}, {?}]>}) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  sdy.sharding_group %x group_id=0 : tensor<8x4xf32>
  sdy.sharding_group %y group_id=0 : tensor<8x4xf32>
  func.return %x, %y : tensor<8x4xf32>, tensor<8x4xf32>
}
