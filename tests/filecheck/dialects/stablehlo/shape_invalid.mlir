// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: does not support scalars.
func.func @iota_of_a_scalar() {
  %0 = stablehlo.iota dim = 0 : tensor<i32>
  func.return
}

// -----

// CHECK: iota dimension cannot go beyond the output rank.
func.func @iota_dimension() {
  %0 = stablehlo.iota dim = 2 : tensor<2x3xi32>
  func.return
}

// -----

// CHECK: must be statically shaped tensor of {{.*}}, but got 'tensor<?xi32>'
func.func @iota_of_dynamic_shape() {
  %0 = stablehlo.iota dim = 0 : tensor<?xi32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2xi32>' are incompatible with return type(s) of operation 'tensor<3xi32>'
func.func @constant_of_another_type() {
  %0 = "stablehlo.constant"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<3xi32>
  func.return
}

// -----

// CHECK: broadcast_dimensions size (1) does not match operand rank (2)
func.func @broadcast_rank(%a: tensor<2x3xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: broadcast_dimensions should not have duplicates
func.func @broadcast_duplicates(%a: tensor<2x2xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1, 1] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

// CHECK: broadcast_dimensions contains invalid value 2 for result with rank 2
func.func @broadcast_range(%a: tensor<2xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [2] : (tensor<2xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

// CHECK: size of operand dimension 0 (2) is not equal to 1 or size of result dimension 1 (3)
func.func @broadcast_size(%a: tensor<2xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<2xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: requires compatible element types for all operands and results
func.func @broadcast_element_type(%a: tensor<2xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf64>
  func.return
}

// -----

// CHECK: must be statically shaped or single bounded dimension tensor of {{.*}}, but got 'tensor<?x3xf32>'
func.func @broadcast_to_dynamic_shape(%a: tensor<3xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<?x3xf32>
  func.return
}

// -----

// CHECK: number of output elements (8) doesn't match expected number of elements (6)
func.func @reshape(%a: tensor<6xf32>) {
  %0 = stablehlo.reshape %a : (tensor<6xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: TransposeOp operand rank 2 does not match permutation size 1
func.func @transpose_rank(%a: tensor<2x3xf32>) {
  %0 = stablehlo.transpose %a, dims = [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: attribute permutation must be a permutation of [0, 1] but got 1, 1
func.func @transpose_permutation(%a: tensor<2x3xf32>) {
  %0 = stablehlo.transpose %a, dims = [1, 1] : (tensor<2x3xf32>) -> tensor<3x3xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<3x2xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf32>'
func.func @transpose_result(%a: tensor<2x3xf32>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: dimensions should be unique. Got: 0, 0
func.func @reverse_duplicates(%a: tensor<2x3xf32>) {
  %0 = stablehlo.reverse %a, dims = [0, 0] : tensor<2x3xf32>
  func.return
}

// -----

// CHECK: all dimensions should be between [0, 2). Got dimension: 2.
func.func @reverse_range(%a: tensor<2x3xf32>) {
  %0 = stablehlo.reverse %a, dims = [2] : tensor<2x3xf32>
  func.return
}

// -----

// CHECK: rank-0 values cannot be concatenated
func.func @concatenate_scalars(%a: tensor<f32>) {
  %0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: dimension 2 is out-of-bounds for input rank 2
func.func @concatenate_dimension(%a: tensor<2x3xf32>) {
  %0 = stablehlo.concatenate %a, %a, dim = 2 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

// CHECK: shapes of operand (0) and (1) are not compatible at non-concat index 1: (2, 3) != (2, 4)
func.func @concatenate_shapes(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

// CHECK: expected 1 or more operands, but found 0
func.func @concatenate_nothing() {
  %0 = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> tensor<0xf32>
  func.return
}

// -----

// CHECK: edge_padding_high length (2) must match operand rank (1)
func.func @pad_rank(%a: tensor<2xf32>, %s: tensor<f32>) {
  %0 = stablehlo.pad %a, %s, low = [0], high = [0, 1], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: Interior padding cannot be negative: -1
func.func @pad_interior(%a: tensor<2xf32>, %s: tensor<f32>) {
  %0 = stablehlo.pad %a, %s, low = [0], high = [0], interior = [-1] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: Padding result in negative size for dimension 0
func.func @pad_away(%a: tensor<2xf32>, %s: tensor<f32>) {
  %0 = stablehlo.pad %a, %s, low = [-2], high = [-1], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<0xf32>
  func.return
}

// -----

// CHECK: padding value type should be a rank-0 tensor, is rank 1
func.func @pad_value(%a: tensor<2xf32>) {
  %0 = stablehlo.pad %a, %a, low = [0], high = [0], interior = [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: rank of smaller element type (1) should be 1 more than rank of larger element type (1), but 1 != 1 + 1.
func.func @bitcast_convert_rank(%a: tensor<2xf32>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<4xi16>
  func.return
}

// -----

// CHECK: requires compatible bit widths. Got: 'tensor<2xf32>' and 'tensor<2x4xi16>', but 16 * 4 != 32.
func.func @bitcast_convert_width(%a: tensor<2xf32>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2x4xi16>
  func.return
}

// -----

// CHECK: cannot convert between real and complex types, but got: 'tensor<2xf64>' and 'tensor<2xcomplex<f32>>'
func.func @bitcast_convert_complex(%a: tensor<2xf64>) {
  %0 = stablehlo.bitcast_convert %a : (tensor<2xf64>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----

// CHECK: the number of elements in start_indices (1) does not match the rank of the operand (2)
func.func @slice_rank(%a: tensor<4x8xf32>) {
  %0 = stablehlo.slice %a [0:2] : (tensor<4x8xf32>) -> tensor<2x8xf32>
  func.return
}

// -----

// CHECK: negative start index -1 in dimension 0
func.func @slice_start(%a: tensor<4xf32>) {
  %0 = stablehlo.slice %a [-1:2] : (tensor<4xf32>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: limit index 5 is larger than dimension size 4 in dimension 0
func.func @slice_limit(%a: tensor<4xf32>) {
  %0 = stablehlo.slice %a [0:5] : (tensor<4xf32>) -> tensor<5xf32>
  func.return
}

// -----

// CHECK: start index 3 is larger than limit index 2 in dimension 0
func.func @slice_order(%a: tensor<4xf32>) {
  %0 = stablehlo.slice %a [3:2] : (tensor<4xf32>) -> tensor<0xf32>
  func.return
}

// -----

// CHECK: stride must be positive but got 0 in dimension 0
func.func @slice_stride(%a: tensor<4xf32>) {
  %0 = stablehlo.slice %a [0:2:0] : (tensor<4xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: has mismatched number of slice sizes (1) and number of start indices (2)
func.func @dynamic_slice_sizes(%a: tensor<4xf32>, %i: tensor<i32>) {
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1] : (tensor<4xf32>, tensor<i32>, tensor<i32>) -> tensor<1xf32>
  func.return
}

// -----

// CHECK: has slice size 5 greater than dimension size 4 in dimension 0 of operand
func.func @dynamic_slice_bounds(%a: tensor<4xf32>, %i: tensor<i32>) {
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [5] : (tensor<4xf32>, tensor<i32>) -> tensor<5xf32>
  func.return
}

// -----

// CHECK: must be variadic of 0D tensor of 2/4/8/16/32/64-bit integer values, but got 'tensor<1xi32>'
func.func @dynamic_slice_start(%a: tensor<4xf32>, %i: tensor<1xi32>) {
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<4xf32>, tensor<1xi32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: update rank does not match operand rank: 2 vs 1.
func.func @dynamic_update_slice_rank(%a: tensor<4xf32>, %u: tensor<1x1xf32>, %i: tensor<i32>) {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<4xf32>, tensor<1x1xf32>, tensor<i32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: expects size at dimension 0 of update to be in range [0, 4]. Got: 5.
func.func @dynamic_update_slice_size(%a: tensor<4xf32>, %u: tensor<5xf32>, %i: tensor<i32>) {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<4xf32>, tensor<5xf32>, tensor<i32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tuple<tensor<f32>>' are incompatible with return type(s) of operation 'tuple<tensor<f64>>'
func.func @tuple_type(%a: tensor<f32>) {
  %0 = "stablehlo.tuple"(%a) : (tensor<f32>) -> tuple<tensor<f64>>
  func.return
}

// -----

// CHECK: index 1 is out of bounds of operand with size 1
func.func @tuple_index(%a: tuple<tensor<f32>>) {
  %0 = stablehlo.get_tuple_element %a[1] : (tuple<tensor<f32>>) -> tensor<f32>
  func.return
}

// -----

// CHECK: requires the same type for operand and result at index 1
func.func @optimization_barrier(%a: tensor<f32>) {
  %0:2 = "stablehlo.optimization_barrier"(%a, %a) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f64>)
  func.return
}

// -----

// CHECK: Broadcast with negative dimension size -2
func.func @broadcast_size(%a: tensor<2xf32>) {
  %0 = "stablehlo.broadcast"(%a) <{broadcast_sizes = array<i64: -2>}> : (tensor<2xf32>) -> tensor<?x2xf32>
  func.return
}

// -----

// CHECK: operand and result shapes must match except for the innermost dimension of the shape with the smaller element type
func.func @bitcast_inner_dimension(%x: tensor<4x2xi16>) {
  %0 = stablehlo.bitcast_convert %x : (tensor<4x2xi16>) -> tensor<5xi32>
  func.return
}

// -----

// CHECK: operands (0) and (1) do not match rank
func.func @concatenate_ranks(%x: tensor<4x2xi16>, %y: tensor<4xi16>) {
  %0 = "stablehlo.concatenate"(%x, %y) {dimension = 0 : i64} : (tensor<4x2xi16>, tensor<4xi16>) -> tensor<8x2xi16>
  func.return
}

// -----

// CHECK: all dimensions should be non-negative. Got dimension: -1.
func.func @negative_dimension(%a: tensor<2xf32>) {
  %0 = stablehlo.reverse %a, dims = [-1] : tensor<2xf32>
  func.return
}

// -----

// CHECK: expect same quantization scales and zero_points but got 'tensor<2x!quant.uniform<i8:f32:0, {5.000000e-01,2.500000e-01}>>' vs 'tensor<2x!quant.uniform<i8:f32:0, {5.000000e-01,5.000000e-01}>>'
func.func @other_scales(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %0 = stablehlo.reshape %a : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>
  func.return
}

// -----

// CHECK: expect same quantization scale and zero_point but got 'tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>' vs 'tensor<2x3x!quant.uniform<i8:f32, 2.500000e-01>>'
func.func @other_scale(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x3x!quant.uniform<i8:f32, 0.25>>
  func.return
}

// -----

// CHECK: mismatch result zero_point 1 (2) and operand zero_point 0 (1)
func.func @other_zero_point(%a: tensor<1x!quant.uniform<i8:f32:0, {0.5:1}>>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<1x!quant.uniform<i8:f32:0, {0.5:1}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5:1, 0.5:2}>>
  func.return
}
