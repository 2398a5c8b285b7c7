// RUN: xshardy-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: expects operand and result to have compatible element type. Got: 'tensor<2x3xf32>' and 'tensor<?x?xi32>'
func.func @reshape_elements(%a: tensor<2x3xf32>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xi32>
  func.return
}

// -----

// CHECK: number of output elements (4) doesn't match expected number of elements (6)
func.func @reshape_count(%a: tensor<2x3xf32>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  func.return
}

// -----

// CHECK: result should have a rank equal to the number of elements in output_shape
func.func @reshape_rank(%a: tensor<2x3xf32>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?xf32>
  func.return
}

// -----

// CHECK: output shape [3, 2] is incompatible with return type of operation 'tensor<2x?xf32>'
func.func @reshape_constant(%a: tensor<2x3xf32>) {
  %c = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %a, %c : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x?xf32>
  func.return
}

// -----

// CHECK: output shape [-1, 2] is incompatible with return type of operation 'tensor<?x?xf32>'
func.func @reshape_negative(%a: tensor<2x3xf32>) {
  %c = stablehlo.constant dense<[-1, 2]> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %a, %c : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: output_shape is incompatible with input type of operation: input has 6 elements, but output_shape has 9
func.func @reshape_constant_count(%a: tensor<2x3xf32>) {
  %c = stablehlo.constant dense<[3, 3]> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %a, %c : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: must be statically shaped 1-dimensional tensor of index or 2/4/8/16/32/64-bit integer values, but got 'tensor<?xi64>'
func.func @reshape_unknown_rank(%a: tensor<2x3xf32>, %s: tensor<?xi64>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x3xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: must be statically shaped 1-dimensional tensor of index or 2/4/8/16/32/64-bit integer values, but got 'tensor<2xf32>'
func.func @reshape_by_floats(%a: tensor<2x3xf32>, %s: tensor<2xf32>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: must be statically shaped 1-dimensional tensor of index or 2/4/8/16/32/64-bit integer values, but got 'tensor<2x1xi64>'
func.func @reshape_by_matrix(%a: tensor<2x3xf32>, %s: tensor<2x1xi64>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x3xf32>, tensor<2x1xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: expects operand and result to have compatible element type. Got: 'tensor<2x3xf32>' and 'tensor<?x?xi32>'
func.func @broadcast_elements(%a: tensor<2x3xf32>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xi32>
  func.return
}

// -----

// CHECK: broadcast_dimensions size (1) does not match operand rank (2)
func.func @broadcast_count(%a: tensor<2x3xf32>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0] : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: result rank (1) is less than operand rank (2)
func.func @broadcast_rank(%a: tensor<2x3xf32>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?xf32>
  func.return
}

// -----

// CHECK: broadcast_dimensions should not have duplicates
func.func @broadcast_duplicates(%a: tensor<2x3xf32>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1, 1] : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: broadcast_dimensions contains invalid value 2 for result with rank 2
func.func @broadcast_dimension(%a: tensor<2x3xf32>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 2] : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: size of operand dimension 1 (3) is not compatible with size of result dimension 1 (4)
func.func @broadcast_size(%a: tensor<2x3xf32>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  func.return
}

// -----

// CHECK: output shape [2, 4] is incompatible with return type of operation 'tensor<?x3xf32>'
func.func @broadcast_constant(%a: tensor<2x3xf32>) {
  %c = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %c, dims = [0, 1] : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  func.return
}

// -----

// CHECK: size of operand dimension 1 (3) is not equal to 1 or value of shape at index 1 (4)
func.func @broadcast_constant_size(%a: tensor<2x3xf32>) {
  %c = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %c, dims = [0, 1] : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: duplicate expansion hint for at least one operand dimension
func.func @broadcast_hints(%a: tensor<2x3xf32>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: hint for expanding dimension 2 does not refer to a valid operand dimension
func.func @broadcast_hint(%a: tensor<2x3xf32>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] {known_expanding_dimensions = array<i64: 2>} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: hint for expanding dimension -1 does not refer to a valid operand dimension
func.func @broadcast_nonexpanding_hint(%a: tensor<2x3xf32>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] {known_nonexpanding_dimensions = array<i64: -1>} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: iota dimension cannot go beyond the output rank.
func.func @iota_dimension(%s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_iota %s, dim = 2 : (tensor<2xi64>) -> tensor<?x?xi32>
  func.return
}

// -----

// CHECK: attribute 'iota_dimension' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative
func.func @iota_negative_dimension(%s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_iota %s, dim = -1 : (tensor<2xi64>) -> tensor<?x?xi32>
  func.return
}

// -----

// CHECK: output shape [2, 3] is incompatible with return type of operation 'tensor<?x4xi32>'
func.func @iota_constant() {
  %c = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = stablehlo.dynamic_iota %c, dim = 0 : (tensor<2xi64>) -> tensor<?x4xi32>
  func.return
}

// -----

// CHECK: failed to verify that all of {operand, padding_value, result} have same element type
func.func @pad_elements(%a: tensor<2x3xf32>, %s: tensor<2xi64>, %v: tensor<i32>) {
  %0 = stablehlo.dynamic_pad %a, %v, %s, %s, %s : (tensor<2x3xf32>, tensor<i32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: must be 0D tensor of 4/6/8/16/32/64-bit float or pred (AKA boolean or 1-bit integer) or 2/4/8/16/32/64-bit integer or complex type with 32/64-bit float elements or per-tensor integer quantized values, but got 'tensor<1xf32>'
func.func @pad_value(%a: tensor<2x3xf32>, %s: tensor<2xi64>, %v: tensor<1xf32>) {
  %0 = stablehlo.dynamic_pad %a, %v, %s, %s, %s : (tensor<2x3xf32>, tensor<1xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: failed to verify that all of {edge_padding_low, edge_padding_high, interior_padding} have same type
func.func @pad_amounts(%a: tensor<2x3xf32>, %v: tensor<f32>, %s: tensor<2xi64>, %r: tensor<2xi32>) {
  %0 = stablehlo.dynamic_pad %a, %v, %s, %s, %r : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi32>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: failed to verify that all of {operand, result} have same rank
func.func @pad_rank(%a: tensor<2x3xf32>, %v: tensor<f32>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_pad %a, %v, %s, %s, %s : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xf32>
  func.return
}

// -----

// CHECK: padding operands size (3) must match operand rank (2)
func.func @pad_count(%a: tensor<2x3xf32>, %v: tensor<f32>, %s: tensor<3xi64>) {
  %0 = stablehlo.dynamic_pad %a, %v, %s, %s, %s : (tensor<2x3xf32>, tensor<f32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: interior_padding must be non-negative, but got 1, -1
func.func @pad_interior(%a: tensor<2x3xf32>, %v: tensor<f32>, %s: tensor<2xi64>) {
  %c = stablehlo.constant dense<[1, -1]> : tensor<2xi64>
  %0 = stablehlo.dynamic_pad %a, %v, %s, %s, %c : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: expected output dimension at index 1 to equal 7, but got 8
func.func @pad_result(%a: tensor<2x3xf32>, %v: tensor<f32>) {
  %c = stablehlo.constant dense<1> : tensor<2xi64>
  %0 = stablehlo.dynamic_pad %a, %v, %c, %c, %c : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<5x8xf32>
  func.return
}

// -----

// CHECK: offset_dims size (2) plus collapse_slice_dims size (0) plus operand_batching_dims size (0) is not equal to operand rank (3)
func.func @gather_roles(%a: tensor<3x4x2xi32>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], start_index_map = [0, 2], index_vector_dim = 2>}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xi32>
  func.return
}

// -----

// CHECK: Expects index_vector_dim to be in range [0, rank-of('start_indices')] i.e. [0, 3]. got: 4.
func.func @gather_vector_dimension(%a: tensor<3x4x2xi32>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0, 2], index_vector_dim = 4>}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xi32>
  func.return
}

// -----

// CHECK: start_index_map size (1) is not equal to size of index dimension (2) of start_indices (2)
func.func @gather_index_map(%a: tensor<3x4x2xi32>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xi32>
  func.return
}

// -----

// CHECK: slice_sizes size (2) not equal to operand rank (3)
func.func @gather_size_count(%a: tensor<3x4x2xi32>, %i: tensor<2x3x2xi64>, %s: tensor<2xi64>) {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0, 2], index_vector_dim = 2>}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<2xi64>) -> tensor<2x3x?x?xi32>
  func.return
}

// -----

// CHECK: must be statically shaped 1-dimensional tensor of 2/4/8/16/32/64-bit integer values, but got 'tensor<?xi64>'
func.func @gather_unknown_size_count(%a: tensor<3x4x2xi32>, %i: tensor<2x3x2xi64>, %s: tensor<?xi64>) {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0, 2], index_vector_dim = 2>}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<?xi64>) -> tensor<2x3x?x?xi32>
  func.return
}

// -----

// CHECK: Expects that for each dim in collapsed_slice_dims, slice_sizes[dim] should be <= 1, but got 2
func.func @gather_collapsed_size(%a: tensor<3x4x2xi32>, %i: tensor<2x3x2xi64>) {
  %c = stablehlo.constant dense<[2, 2, 2]> : tensor<3xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %i, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0, 2], index_vector_dim = 2>}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xi32>
  func.return
}

// -----

// CHECK: slice size (5) is out of bounds for operand dimension (4) at index 1
func.func @gather_size(%a: tensor<3x4x2xi32>, %i: tensor<2x3x2xi64>) {
  %c = stablehlo.constant dense<[1, 5, 2]> : tensor<3xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %i, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0, 2], index_vector_dim = 2>}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xi32>
  func.return
}

// -----

// CHECK: slice size (-2) is out of bounds for operand dimension (4) at index 1
func.func @gather_negative_size(%a: tensor<3x4x2xi32>, %i: tensor<2x3x2xi64>) {
  %c = stablehlo.constant dense<[1, -2, 2]> : tensor<3xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %i, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0, 2], index_vector_dim = 2>}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xi32>
  func.return
}

// -----

// CHECK: slice size (-1) is out of bounds for operand dimension (4) at index 1
func.func @gather_minus_one(%a: tensor<3x4x2xi32>, %i: tensor<2x3x2xi64>) {
  %c = stablehlo.constant dense<[1, -1, 2]> : tensor<3xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %i, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0, 2], index_vector_dim = 2>}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x?x?xi32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2x3x2x2xi32>' are incompatible with return type(s) of operation 'tensor<2x3x3x2xi32>'
func.func @gather_constant_result(%a: tensor<3x4x2xi32>, %i: tensor<2x3x2xi64>) {
  %c = stablehlo.constant dense<[1, 2, 2]> : tensor<3xi64>
  %0 = "stablehlo.dynamic_gather"(%a, %i, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0, 2], index_vector_dim = 2>}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x3x2xi32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2x3x?x?xi32>' are incompatible with return type(s) of operation 'tensor<2x4x?x?xi32>'
func.func @gather_result(%a: tensor<3x4x2xi32>, %i: tensor<2x3x2xi64>, %s: tensor<3xi64>) {
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [0, 2], index_vector_dim = 2>}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x4x?x?xi32>
  func.return
}

// -----

// CHECK: failed to verify that all of {operand, result} have same element type
func.func @slice_elements(%a: tensor<2x3xf32>, %s: tensor<2xi64>) {
  %0 = stablehlo.real_dynamic_slice %a, %s, %s, %s : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xi32>
  func.return
}

// -----

// CHECK: failed to verify that all of {start_indices, limit_indices, strides} have same type
func.func @slice_types(%a: tensor<2x3xf32>, %s: tensor<2xi64>, %r: tensor<2xi32>) {
  %0 = stablehlo.real_dynamic_slice %a, %s, %s, %r : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi32>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: has mismatched number of operand rank (2) and start_indices size (3)
func.func @slice_count(%a: tensor<2x3xf32>, %s: tensor<3xi64>) {
  %0 = stablehlo.real_dynamic_slice %a, %s, %s, %s : (tensor<2x3xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: requires dimension attribute in range [0, 2); found (2)
func.func @get_dimension(%a: tensor<2x3xf32>) {
  %0 = stablehlo.get_dimension_size %a, dim = 2 : (tensor<2x3xf32>) -> tensor<i32>
  func.return
}

// -----

// CHECK: attribute 'dimension' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative
func.func @get_negative_dimension(%a: tensor<2x3xf32>) {
  %0 = stablehlo.get_dimension_size %a, dim = -1 : (tensor<2x3xf32>) -> tensor<i32>
  func.return
}

// -----

// CHECK: must be ranked tensor of 32-bit signless integer values, but got 'tensor<i64>'
func.func @get_elements(%a: tensor<2x3xf32>) {
  %0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2x3xf32>) -> tensor<i64>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<i32>' are incompatible with return type(s) of operation 'tensor<1xi32>'
func.func @get_shape(%a: tensor<2x3xf32>) {
  %0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2x3xf32>) -> tensor<1xi32>
  func.return
}

// -----

// CHECK: requires dimension attribute in range [0, 2); found (2)
func.func @set_dimension(%a: tensor<2x3xf32>, %n: tensor<i32>) {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 2 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: attribute 'dimension' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative
func.func @set_negative_dimension(%a: tensor<2x3xf32>, %n: tensor<i32>) {
  %0 = stablehlo.set_dimension_size %a, %n, dim = -1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: size operand should be of rank-0
func.func @set_vector(%a: tensor<2x3xf32>, %n: tensor<1xi32>) {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 1 : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: must be ranked tensor of 32-bit signless integer values, but got 'tensor<i64>'
func.func @set_elements(%a: tensor<2x3xf32>, %n: tensor<i64>) {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 1 : (tensor<2x3xf32>, tensor<i64>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2x?xf32, #stablehlo.bounds<?, 3>>' are incompatible with return type(s) of operation 'tensor<3x?xf32>'
func.func @set_result(%a: tensor<2x3xf32>, %n: tensor<i32>) {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<3x?xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2x?xf32, #stablehlo.bounds<?, 3>>' are incompatible with return type(s) of operation 'tensor<2x4xf32>'
func.func @set_bound(%a: tensor<2x3xf32>, %n: tensor<i32>) {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x4xf32>
  func.return
}
