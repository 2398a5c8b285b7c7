// RUN: xshardy-opt %s -p hlo-gather-simplifier | filecheck %s

// CHECK-LABEL: func.func @simple_already(
// CHECK-NEXT:    %{{.*}} = "stablehlo.gather"(%arg0, %arg1)
// CHECK-NEXT:    return
func.func @simple_already(%x: tensor<5x7xf32>, %i: tensor<4x1xi32>) -> tensor<4x1x7xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 7>}> : (tensor<5x7xf32>, tensor<4x1xi32>) -> tensor<4x1x7xf32>
  func.return %0 : tensor<4x1x7xf32>
}

// The dimension of the vectors may be left out, if they have one component.
// CHECK-LABEL: func.func @simple_with_scalars(
// CHECK-NEXT:    %{{.*}} = "stablehlo.gather"(%arg0, %arg1)
// CHECK-NEXT:    return
func.func @simple_with_scalars(%x: tensor<5x7xf32>, %i: tensor<4xi32>) -> tensor<4x1x7xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 7>}> : (tensor<5x7xf32>, tensor<4xi32>) -> tensor<4x1x7xf32>
  func.return %0 : tensor<4x1x7xf32>
}

// CHECK-LABEL: func.func @collapsed(
// CHECK-NEXT:    %[[G:.*]] = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, {{.*}}slice_sizes = array<i64: 1, 7>}> : (tensor<5x7xf32>, tensor<4x1xi32>) -> tensor<4x1x7xf32>
// CHECK-NEXT:    %{{.*}} = stablehlo.reshape %[[G]] {note = "kept"} : (tensor<4x1x7xf32>) -> tensor<4x7xf32>
func.func @collapsed(%x: tensor<5x7xf32>, %i: tensor<4x1xi32>) -> tensor<4x7xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 7>}> {note = "kept"} : (tensor<5x7xf32>, tensor<4x1xi32>) -> tensor<4x7xf32>
  func.return %0 : tensor<4x7xf32>
}

// CHECK-LABEL: func.func @vectors_first_and_slices_first(
// CHECK-NEXT:    %[[V:.*]] = stablehlo.transpose %arg1, dims = [1, 2, 0] : (tensor<2x3x4xi32>) -> tensor<3x4x2xi32>
// CHECK-NEXT:    %[[R:.*]] = stablehlo.reshape %[[V]] : (tensor<3x4x2xi32>) -> tensor<12x2xi32>
// CHECK-NEXT:    %[[G:.*]] = "stablehlo.gather"(%arg0, %[[R]]) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [1, 0], index_vector_dim = 1>{{.*}} -> tensor<12x1x2xf32>
// CHECK-NEXT:    %[[S:.*]] = stablehlo.reshape %[[G]] : (tensor<12x1x2xf32>) -> tensor<3x4x2xf32>
// CHECK-NEXT:    %{{.*}} = stablehlo.transpose %[[S]], dims = [2, 0, 1] : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
func.func @vectors_first_and_slices_first(%x: tensor<5x7xf32>, %i: tensor<2x3x4xi32>) -> tensor<2x3x4xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 0>, slice_sizes = array<i64: 1, 2>}> : (tensor<5x7xf32>, tensor<2x3x4xi32>) -> tensor<2x3x4xf32>
  func.return %0 : tensor<2x3x4xf32>
}

// A batching dimension is an index more.
// CHECK-LABEL: func.func @batches(
// CHECK-NEXT:    %[[N:.*]] = stablehlo.iota dim = 0 : tensor<3x4x1xi32>
// CHECK-NEXT:    %[[V:.*]] = stablehlo.concatenate %arg1, %[[N]], dim = 2 : (tensor<3x4x1xi32>, tensor<3x4x1xi32>) -> tensor<3x4x2xi32>
// CHECK-NEXT:    %[[R:.*]] = stablehlo.reshape %[[V]] : (tensor<3x4x2xi32>) -> tensor<12x2xi32>
// CHECK-NEXT:    %[[G:.*]] = "stablehlo.gather"(%arg0, %[[R]]) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [1, 0], index_vector_dim = 1>
// CHECK-NEXT:    %{{.*}} = stablehlo.reshape %[[G]] : (tensor<12x1x2xf32>) -> tensor<3x4x2xf32>
func.func @batches(%x: tensor<3x7xf32>, %i: tensor<3x4x1xi32>) -> tensor<3x4x2xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x7xf32>, tensor<3x4x1xi32>) -> tensor<3x4x2xf32>
  func.return %0 : tensor<3x4x2xf32>
}

// CHECK-LABEL: func.func @batches_of_narrow_indices(
// CHECK-NEXT:    %[[C:.*]] = stablehlo.convert %arg1 : (tensor<300x1xui8>) -> tensor<300x1xi64>
// CHECK-NEXT:    %{{.*}} = stablehlo.iota dim = 0 : tensor<300x1xi64>
func.func @batches_of_narrow_indices(%x: tensor<300x7xf32>, %i: tensor<300x1xui8>) -> tensor<300x2xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<300x7xf32>, tensor<300x1xui8>) -> tensor<300x2xf32>
  func.return %0 : tensor<300x2xf32>
}

// CHECK-LABEL: func.func @sizes_that_are_not_known(
// CHECK-NEXT:    %{{.*}} = "stablehlo.gather"(%arg0, %arg1)
// CHECK-NEXT:    return
func.func @sizes_that_are_not_known(%x: tensor<5x7xf32>, %i: tensor<?x1xi32>) -> tensor<?x7xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 7>}> : (tensor<5x7xf32>, tensor<?x1xi32>) -> tensor<?x7xf32>
  func.return %0 : tensor<?x7xf32>
}

// The slices lie between two dimensions of the indices.
// CHECK-LABEL: func.func @slices_between_batches(
// CHECK:         "stablehlo.gather"({{.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], {{.*}}> : (tensor<5x7xf32>, tensor<12x1xi32>) -> tensor<12x1x2xf32>
// CHECK:         stablehlo.transpose %{{.*}}, dims = [0, 2, 3, 1] : (tensor<3x4x1x2xf32>) -> tensor<3x1x2x4xf32>
func.func @slices_between_batches(%x: tensor<5x7xf32>, %i: tensor<3x1x4xi32>) -> tensor<3x1x2x4xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<5x7xf32>, tensor<3x1x4xi32>) -> tensor<3x1x2x4xf32>
  func.return %0 : tensor<3x1x2x4xf32>
}

// CHECK-LABEL: func.func @as_many_batches_as_the_index_type_numbers(
// CHECK-NEXT:    %{{.*}} = stablehlo.iota dim = 0 : tensor<128x1xi8>
func.func @as_many_batches_as_the_index_type_numbers(%x: tensor<128x7xf32>, %i: tensor<128x1xi8>) -> tensor<128x2xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<128x7xf32>, tensor<128x1xi8>) -> tensor<128x2xf32>
  func.return %0 : tensor<128x2xf32>
}

// CHECK-LABEL: func.func @sorted_rows_stay_sorted(
// CHECK:         "stablehlo.gather"({{.*}}indices_are_sorted = true
// CHECK:         "stablehlo.gather"({{.*}}indices_are_sorted = false
func.func @sorted_rows_stay_sorted(%x: tensor<5x7xf32>, %i: tensor<4x1xi32>) -> (tensor<4x7xf32>, tensor<4x7xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 7>, indices_are_sorted = true}> : (tensor<5x7xf32>, tensor<4x1xi32>) -> tensor<4x7xf32>
  %1 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 7>, indices_are_sorted = false}> : (tensor<5x7xf32>, tensor<4x1xi32>) -> tensor<4x7xf32>
  func.return %0, %1 : tensor<4x7xf32>, tensor<4x7xf32>
}

// The number of the batch is the last component of a row: rows sorted per batch are not sorted.
// CHECK-LABEL: func.func @rows_with_batches_are_not_sorted(
// CHECK:         "stablehlo.gather"({{.*}}indices_are_sorted = false
func.func @rows_with_batches_are_not_sorted(%x: tensor<3x7xf32>, %i: tensor<3x1xi32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>, indices_are_sorted = true}> : (tensor<3x7xf32>, tensor<3x1xi32>) -> tensor<3x2xf32>
  func.return %0 : tensor<3x2xf32>
}

// The batches are along the last dimension of the indices; a signed index of 8 bits numbers 128 of them.
// CHECK-LABEL: func.func @too_many_batches_for_the_index_type(
// CHECK-NEXT:    %[[V:.*]] = stablehlo.transpose %arg1, dims = [1, 2, 0] : (tensor<1x2x129xi8>) -> tensor<2x129x1xi8>
// CHECK-NEXT:    %[[C:.*]] = stablehlo.convert %[[V]] : (tensor<2x129x1xi8>) -> tensor<2x129x1xi64>
// CHECK-NEXT:    %{{.*}} = stablehlo.iota dim = 1 : tensor<2x129x1xi64>
func.func @too_many_batches_for_the_index_type(%x: tensor<129x7xf32>, %i: tensor<1x2x129xi8>) -> tensor<2x129x2xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [1], index_vector_dim = 0>, slice_sizes = array<i64: 1, 2>}> : (tensor<129x7xf32>, tensor<1x2x129xi8>) -> tensor<2x129x2xf32>
  func.return %0 : tensor<2x129x2xf32>
}

// CHECK-LABEL: func.func @columns_of_indices(
// CHECK-NEXT:    %{{.*}} = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<1x4xi32>) -> tensor<4x1xi32>
func.func @columns_of_indices(%x: tensor<5x7xf32>, %i: tensor<1x4xi32>) -> tensor<4x1x7xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 1, 7>}> : (tensor<5x7xf32>, tensor<1x4xi32>) -> tensor<4x1x7xf32>
  func.return %0 : tensor<4x1x7xf32>
}

// CHECK-LABEL: func.func @slices_before_rows(
// CHECK:         stablehlo.transpose %{{.*}}, dims = [1, 2, 0] : (tensor<4x1x7xf32>) -> tensor<1x7x4xf32>
func.func @slices_before_rows(%x: tensor<5x7xf32>, %i: tensor<4x1xi32>) -> tensor<1x7x4xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 7>}> : (tensor<5x7xf32>, tensor<4x1xi32>) -> tensor<1x7x4xf32>
  func.return %0 : tensor<1x7x4xf32>
}

// A collapsed slice of size 0 has an element, but there is nothing to gather.
// CHECK-LABEL: func.func @nothing(
// CHECK-NEXT:    %[[ZERO:.*]] = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
// CHECK-NEXT:    %[[ZEROS:.*]] = stablehlo.broadcast_in_dim %[[ZERO]], dims = [] : (tensor<complex<f32>>) -> tensor<3x2xcomplex<f32>>
// CHECK-NEXT:    return %[[ZEROS]]
func.func @nothing(%x: tensor<0x2xcomplex<f32>>, %i: tensor<3xi32>) -> tensor<3x2xcomplex<f32>> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 0, 2>}> : (tensor<0x2xcomplex<f32>>, tensor<3xi32>) -> tensor<3x2xcomplex<f32>>
  func.return %0 : tensor<3x2xcomplex<f32>>
}
