// RUN: xshardy-opt %s -p sdy-explicit-gather-scatter-batching | filecheck %s

// The row number goes away; what reads it alone goes with it.
// CHECK-LABEL: func.func @row_first
// CHECK-NEXT:    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> {keep.me} :
// CHECK-NEXT:    return %0
func.func @row_first(%x: tensor<4x8xf32>, %column: tensor<4x1xi32>) -> tensor<4x1xf32> {
  %row = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %i = stablehlo.concatenate %row, %column, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> {keep.me} : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// Through a reshape, a broadcast, and what wraps and clips an index; two components are left.
// CHECK-LABEL: func.func @row_between
// CHECK-NEXT:    %0 = stablehlo.concatenate %arg1, %arg2, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
// CHECK-NEXT:    "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 1>
func.func @row_between(%x: tensor<4x8x16xf32>, %i: tensor<4x1xi32>, %k: tensor<4x1xi32>, %p: tensor<4x1xi1>, %low: tensor<i32>) -> tensor<4x1xf32> {
  %row = stablehlo.iota dim = 0 : tensor<4xi32>
  %reshaped = stablehlo.reshape %row : (tensor<4xi32>) -> tensor<4x1xi32>
  %broadcast = stablehlo.broadcast_in_dim %reshaped, dims = [0, 1] : (tensor<4x1xi32>) -> tensor<4x1xi32>
  %clipped = stablehlo.clamp %low, %broadcast, %low : (tensor<i32>, tensor<4x1xi32>, tensor<i32>) -> tensor<4x1xi32>
  %wrapped = stablehlo.select %p, %clipped, %i : tensor<4x1xi1>, tensor<4x1xi32>
  %j = stablehlo.concatenate %i, %wrapped, %k, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x3xi32>
  %0 = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [1, 0, 2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x8x16xf32>, tensor<4x3xi32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// Of a select, the side that is an iota counts.
// CHECK-LABEL: func.func @select_of_iota
// CHECK:         operand_batching_dims = [0]
func.func @select_of_iota(%x: tensor<4x8xf32>, %column: tensor<4x1xi32>, %p: tensor<4x1xi1>) -> tensor<4x1xf32> {
  %row = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %wrapped = stablehlo.select %p, %column, %row : tensor<4x1xi1>, tensor<4x1xi32>
  %i = stablehlo.concatenate %wrapped, %column, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// Indices that are no concatenation are sliced: every component of an iota along the rows is the row number.
// CHECK-LABEL: func.func @sliced
// CHECK:         %0 = stablehlo.iota dim = 0 : tensor<4x3xi32>
// CHECK-NEXT:    %1 = stablehlo.slice %0 [0:4, 0:1] : (tensor<4x3xi32>) -> tensor<4x1xi32>
// CHECK-NEXT:    %2 = stablehlo.slice %0 [0:4, 2:3] : (tensor<4x3xi32>) -> tensor<4x1xi32>
// CHECK-NEXT:    %3 = stablehlo.concatenate %1, %2, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
// CHECK-NEXT:    "stablehlo.gather"(%arg0, %3)
func.func @sliced(%x: tensor<4x8x16xf32>) -> tensor<4x1xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1], start_index_map = [1, 0, 2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x8x16xf32>, tensor<4x3xi32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// CHECK-LABEL: func.func @scatter
// CHECK-NEXT:    "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}>
func.func @scatter(%x: tensor<4x8xf32>, %column: tensor<4x1xi32>, %updates: tensor<4xf32>) -> tensor<4x8xf32> {
  %row = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %i = stablehlo.concatenate %row, %column, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %0 = "stablehlo.scatter"(%x, %i, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    stablehlo.return %new : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x2xi32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @scatter_into_other_rows
// CHECK-NOT:     batching
func.func @scatter_into_other_rows(%x: tensor<5x8xf32>, %column: tensor<4x1xi32>, %updates: tensor<4xf32>) -> tensor<5x8xf32> {
  %row = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %i = stablehlo.concatenate %row, %column, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %0 = "stablehlo.scatter"(%x, %i, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    stablehlo.return %new : tensor<f32>
  }) : (tensor<5x8xf32>, tensor<4x2xi32>, tensor<4xf32>) -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}

// CHECK-LABEL: func.func @scatter_keeps_its_window
// CHECK-NOT:     batching
func.func @scatter_keeps_its_window(%x: tensor<4x8xf32>, %column: tensor<4x1xi32>, %updates: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %row = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %i = stablehlo.concatenate %row, %column, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %0 = "stablehlo.scatter"(%x, %i, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    stablehlo.return %new : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x2xi32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @scatter_has_batching
// CHECK:         input_batching_dims = [2], scatter_indices_batching_dims = [0]
func.func @scatter_has_batching(%x: tensor<4x8x4xf32>, %column: tensor<4x1xi32>, %updates: tensor<4xf32>) -> tensor<4x8x4xf32> {
  %row = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %i = stablehlo.concatenate %row, %column, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %0 = "stablehlo.scatter"(%x, %i, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], input_batching_dims = [2], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    stablehlo.return %new : tensor<f32>
  }) : (tensor<4x8x4xf32>, tensor<4x2xi32>, tensor<4xf32>) -> tensor<4x8x4xf32>
  return %0 : tensor<4x8x4xf32>
}

// CHECK-LABEL: func.func @gather_has_batching
// CHECK:         operand_batching_dims = [2], start_indices_batching_dims = [0]
func.func @gather_has_batching(%x: tensor<4x8x4xf32>, %column: tensor<4x1xi32>) -> tensor<4x1xf32> {
  %row = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %i = stablehlo.concatenate %row, %column, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [2], start_indices_batching_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x8x4xf32>, tensor<4x2xi32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// Nothing would be left of the indices.
// CHECK-LABEL: func.func @only_rows
// CHECK-NOT:     batching
func.func @only_rows(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @other_dimension_is_indexed
// CHECK-NOT:     batching
func.func @other_dimension_is_indexed(%x: tensor<4x8x16xf32>, %column: tensor<4x1xi32>) -> tensor<4x4x1xf32> {
  %row = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %i = stablehlo.concatenate %row, %column, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [1], start_index_map = [1, 2], index_vector_dim = 1>, slice_sizes = array<i64: 4, 1, 1>}> : (tensor<4x8x16xf32>, tensor<4x2xi32>) -> tensor<4x4x1xf32>
  return %0 : tensor<4x4x1xf32>
}

// CHECK-LABEL: func.func @rows_are_kept
// CHECK-NOT:     batching
func.func @rows_are_kept(%x: tensor<4x8xf32>, %column: tensor<4x1xi32>) -> tensor<4x1x1xf32> {
  %row = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %i = stablehlo.concatenate %row, %column, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4x1x1xf32>
  return %0 : tensor<4x1x1xf32>
}

// CHECK-LABEL: func.func @row_goes_elsewhere
// CHECK-NOT:     batching
func.func @row_goes_elsewhere(%x: tensor<4x8xf32>, %column: tensor<4x1xi32>) -> tensor<4x1xf32> {
  %row = stablehlo.iota dim = 0 : tensor<4x1xi32>
  %i = stablehlo.concatenate %row, %column, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// CHECK-LABEL: func.func @counts_columns
// CHECK-NOT:     batching
func.func @counts_columns(%x: tensor<4x8xf32>, %column: tensor<4x1xi32>) -> tensor<4x1xf32> {
  %row = stablehlo.iota dim = 1 : tensor<4x1xi32>
  %i = stablehlo.concatenate %row, %column, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// The vectors lie along dimension 0, and the concatenation makes them longer along dimension 1.
// CHECK-LABEL: func.func @joined_along_another_dimension
// CHECK-NOT:     batching
func.func @joined_along_another_dimension(%x: tensor<2x8xf32>, %column: tensor<2x1xi32>) -> tensor<2x1xf32> {
  %row = stablehlo.iota dim = 0 : tensor<2x1xi32>
  %i = stablehlo.concatenate %row, %column, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 0>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x8xf32>, tensor<2x2xi32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}

// CHECK-LABEL: func.func @unused
// CHECK-NEXT:    return
func.func @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %x : tensor<4xf32>
}

// CHECK-LABEL: func.func @first_component_sliced
// CHECK-NEXT:    %0 = stablehlo.iota dim = 0 : tensor<4x2xi32>
// CHECK-NEXT:    %1 = stablehlo.slice %0 [0:4, 1:2] : (tensor<4x2xi32>) -> tensor<4x1xi32>
// CHECK-NEXT:    "stablehlo.scatter"(%arg0, %1, %arg1) <{indices_are_sorted = false, {{.*}} unique_indices = false}>
func.func @first_component_sliced(%x: tensor<4x8xf32>, %updates: tensor<4xf32>) -> tensor<4x8xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x2xi32>
  %0 = "stablehlo.scatter"(%x, %i, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    stablehlo.return %new : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x2xi32>, tensor<4xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
