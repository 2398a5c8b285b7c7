// RUN: xshardy-opt %s -p sdy-import-pipeline{enable-explicit-gather-scatter-batching=true} | filecheck %s

// CHECK: operand_batching_dims = [0]
func.func @main(%x: tensor<4x8xf32>, %column: tensor<4x1xi32>) -> tensor<4x1xf32> {
  %row = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %i = stablehlo.concatenate %row, %column, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}
