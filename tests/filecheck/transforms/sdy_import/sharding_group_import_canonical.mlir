// RUN: xshardy-opt %s -p sdy-sharding-group-import | filecheck %s

// Groups that are numbered in order stay as they are.
// CHECK-LABEL: func.func @canonical
// CHECK-NEXT:    sdy.sharding_group %arg0 group_id=0
// CHECK-NEXT:    sdy.sharding_group %arg1 group_id=0
// CHECK-NEXT:    sdy.sharding_group %arg2 group_id=1
// CHECK-NEXT:    return
func.func @canonical(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) {
  sdy.sharding_group %x group_id=0 : tensor<8xf32>
  sdy.sharding_group %y group_id=0 : tensor<8xf32>
  sdy.sharding_group %z group_id=1 : tensor<8xf32>
  return
}
