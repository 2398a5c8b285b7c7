// RUN: xshardy-opt %s -p sdy-sharding-group-import --verify-diagnostics --split-input-file | filecheck %s

sdy.mesh @mesh = <["a"=2]>

// CHECK: ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: 7
func.func @crosses(%x: tensor<8xf32>) -> tensor<8xf32> {
  sdy.sharding_group %x group_id=7 : tensor<8xf32>
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{?}]>] out_shardings=[<@mesh, [{?}]>] manual_axes={} (%y: tensor<8xf32>) {
    sdy.sharding_group %y group_id=7 : tensor<8xf32>
    sdy.return %y : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK: ShardingGroupOps values must have the same shape for groupId: 3
func.func @shapes_differ(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  sdy.sharding_group %x group_id=3 : tensor<8xf32>
  sdy.sharding_group %y group_id=3 : tensor<4xf32>
  return
}
