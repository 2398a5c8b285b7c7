// RUN: xshardy-opt %s -p sdy-explicit-gather-scatter-batching | filecheck %s

// Row 1 of the reshaped iota is 2 and 3: these are not row numbers. Upstream takes them for such.
// CHECK-LABEL: func.func @reshape_of_more_rows
// CHECK-NOT:     batching
func.func @reshape_of_more_rows(%x: tensor<2x8xf32>, %column: tensor<2x2x1xi32>) -> tensor<2x2x1xf32> {
  %iota = stablehlo.iota dim = 0 : tensor<4xi32>
  %row = stablehlo.reshape %iota : (tensor<4xi32>) -> tensor<2x2x1xi32>
  %i = stablehlo.concatenate %row, %column, dim = 2 : (tensor<2x2x1xi32>, tensor<2x2x1xi32>) -> tensor<2x2x2xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x8xf32>, tensor<2x2x2xi32>) -> tensor<2x2x1xf32>
  return %0 : tensor<2x2x1xf32>
}

// CHECK-LABEL: func.func @broadcast_along_other_rows
// CHECK-NOT:     batching
func.func @broadcast_along_other_rows(%x: tensor<2x8xf32>, %column: tensor<2x2x1xi32>) -> tensor<2x2x1xf32> {
  %iota = stablehlo.iota dim = 0 : tensor<2xi32>
  %row = stablehlo.broadcast_in_dim %iota, dims = [1] : (tensor<2xi32>) -> tensor<2x2x1xi32>
  %i = stablehlo.concatenate %row, %column, dim = 2 : (tensor<2x2x1xi32>, tensor<2x2x1xi32>) -> tensor<2x2x2xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x8xf32>, tensor<2x2x2xi32>) -> tensor<2x2x1xf32>
  return %0 : tensor<2x2x1xf32>
}

// CHECK-LABEL: func.func @broadcast_of_one_row
// CHECK-NOT:     batching
func.func @broadcast_of_one_row(%x: tensor<2x8xf32>, %column: tensor<2x1xi32>) -> tensor<2x1xf32> {
  %iota = stablehlo.iota dim = 0 : tensor<1x1xi32>
  %row = stablehlo.broadcast_in_dim %iota, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<2x1xi32>
  %i = stablehlo.concatenate %row, %column, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x8xf32>, tensor<2x2xi32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}

// The second of three components is the second of the first operand, and no row number.
// CHECK-LABEL: func.func @concatenation_of_vectors
// CHECK-NOT:     batching
func.func @concatenation_of_vectors(%x: tensor<2x8x16xf32>, %others: tensor<2x2xi32>) -> tensor<2x1xf32> {
  %row = stablehlo.iota dim = 0 : tensor<2x1xi32>
  %i = stablehlo.concatenate %others, %row, dim = 1 : (tensor<2x2xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [1, 0, 2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<2x8x16xf32>, tensor<2x3xi32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}
