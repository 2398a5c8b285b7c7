// RUN: xshardy-opt %s -p sdy-sharding-group-import | filecheck %s

// Groups 12 and 4 share %y; 99 stays apart.
// CHECK-LABEL: func.func @merged
// CHECK-NEXT:    sdy.sharding_group %arg0 group_id=0
// CHECK-NEXT:    sdy.sharding_group %arg1 group_id=0
// CHECK-NEXT:    sdy.sharding_group %arg2 group_id=0
// CHECK-NEXT:    sdy.sharding_group %arg3 group_id=1
// CHECK-NEXT:    return
func.func @merged(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>, %w: tensor<8xf32>) {
  sdy.sharding_group %x group_id=12 : tensor<8xf32>
  sdy.sharding_group %y group_id=12 : tensor<8xf32>
  sdy.sharding_group %y group_id=4 : tensor<8xf32>
  sdy.sharding_group %z group_id=4 : tensor<8xf32>
  sdy.sharding_group %w group_id=99 : tensor<8xf32>
  return
}
