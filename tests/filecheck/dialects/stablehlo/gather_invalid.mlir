// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: expects start_indices_batching_dims not to include index_vector_dim 2
func.func @batching_over_the_index_vector(%x: tensor<3x4x2xi32>, %i: tensor<2x3x2xi32>) {
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2>} : (tensor<3x4x2xi32>, tensor<2x3x2xi32>) -> tensor<2x3x2xi32>
  func.return
}

// -----

// CHECK: operand_batching_dims and start_indices_batching_dims should have the same size
func.func @batching_dims_of_one_side(%x: tensor<3x4x2xi32>, %i: tensor<2x3x2xi32>) {
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2>} : (tensor<3x4x2xi32>, tensor<2x3x2xi32>) -> tensor<2x3x2xi32>
  func.return
}

// -----

// CHECK: operand_batching_dims[0] and start_indices_batching_dims[0] must have compatible sizes, but got 3 and 2
func.func @batch_sizes(%x: tensor<3x4x2xi32>, %i: tensor<2x3x2xi32>) {
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2>} : (tensor<3x4x2xi32>, tensor<2x3x2xi32>) -> tensor<2x3x2xi32>
  func.return
}
