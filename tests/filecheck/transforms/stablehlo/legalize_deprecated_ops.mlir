// RUN: xshardy-opt %s -p stablehlo-legalize-deprecated-ops | filecheck %s

// CHECK-LABEL: @new_dimensions_come_first
// CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [1, 2] : (tensor<4x8xf32>) -> tensor<3x4x8xf32>
func.func @new_dimensions_come_first(%x: tensor<4x8xf32>) -> tensor<3x4x8xf32> {
  %0 = stablehlo.broadcast %x, sizes = [3] : (tensor<4x8xf32>) -> tensor<3x4x8xf32>
  return %0 : tensor<3x4x8xf32>
}

// CHECK-LABEL: @precision_and_sharding_are_kept
// CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0], precision = [HIGH, HIGHEST]
// CHECK-SAME: sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>
sdy.mesh @mesh = <["a"=2]>
func.func @precision_and_sharding_are_kept(%x: tensor<4x8xf32>, %y: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.dot %x, %y, precision = [HIGH, HIGHEST] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>}
    : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: @letters_of_one_operand_are_summed_first
// CHECK: %[[SUM:.*]] = stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [1]
// CHECK: %[[DOT:.*]] = stablehlo.dot_general %[[SUM]], %{{.*}}, contracting_dims = [1] x [0]
// CHECK: stablehlo.transpose %[[DOT]], dims = [1, 0] : (tensor<5x3xf32>) -> tensor<3x5xf32>
func.func @letters_of_one_operand_are_summed_first(%x: tensor<5x4x8xf32>, %y: tensor<8x3xf32>) -> tensor<3x5xf32> {
  %0 = stablehlo.einsum %x, %y, config = "abc,cd->da" : (tensor<5x4x8xf32>, tensor<8x3xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// CHECK-LABEL: @indices_of_a_batch
// CHECK: "stablehlo.gather"
// CHECK-SAME: collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>
// CHECK-SAME: slice_sizes = array<i64: 1, 1>
func.func @indices_of_a_batch(%x: tensor<4x8xf32>, %i: tensor<4x3xi32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.torch_index_select"(%x, %i) {dim = 1 : i64, batch_dims = 1 : i64} : (tensor<4x8xf32>, tensor<4x3xi32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: @a_token_and_a_sum_over_replicas
// CHECK: stablehlo.after_all  : !stablehlo.token
// CHECK: "stablehlo.all_reduce"
// CHECK: stablehlo.add
func.func @a_token_and_a_sum_over_replicas(%x: tensor<4xf32>) -> (!stablehlo.token, tensor<4xf32>) {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : !stablehlo.token, tensor<4xf32>
}
