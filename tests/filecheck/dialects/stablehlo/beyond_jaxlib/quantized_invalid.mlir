// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: per-tensor integer quantized values, but got 'tensor<2x!quant
func.func @gather_per_axis(%a: tensor<2x!quant.uniform<i8:f32:0, {1.0,2.0}>>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x!quant.uniform<i8:f32:0, {1.0,2.0}>>) -> tensor<4x!quant.uniform<i8:f32:0, {1.0,2.0,1.0,2.0}>>
  func.return
}

// -----

// CHECK: expect same quantization scale and zero_point but got
func.func @reshape_scale(%a: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %s: tensor<1xi64>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<1xi64>) -> tensor<4x!quant.uniform<i8:f32, 2.0>>
  func.return
}

// -----

// CHECK: expect same quantization dimension size for operand and result
func.func @reshape_axis_size(%a: tensor<2x3x!quant.uniform<i8:f32:0, {1.0,2.0}>>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x3x!quant.uniform<i8:f32:0, {1.0,2.0}>>, tensor<2xi64>) -> tensor<2x3x!quant.uniform<i8:f32:1, {1.0,2.0,3.0}>>
  func.return
}

// -----

// CHECK: product of dimensions before quantization dimension must match between operand and result for 1 and 2
func.func @reshape_axis_place(%a: tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>, tensor<2xi64>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0,2.0}>>
  func.return
}

// -----

// CHECK: result quantization_dimension 1 not same as broadcast_dimensions[0] = 0
func.func @broadcast_axis(%a: tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>, tensor<2xi64>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0,2.0}>>
  func.return
}

// -----

// CHECK: mismatch result scale 1 (
func.func @broadcast_scale(%a: tensor<1x2x!quant.uniform<i8:f32:0, {1.0}>>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] : (tensor<1x2x!quant.uniform<i8:f32:0, {1.0}>>, tensor<2xi64>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0,2.0}>>
  func.return
}

// -----

// CHECK: mismatched lhs and rhs quantization storage types
func.func @storage_types(%x: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %y: tensor<2x2x!quant.uniform<i16:f32, 1.0>>) {
  %0 = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x!quant.uniform<i16:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i32:f32, 1.0>>
  func.return
}

// -----

// CHECK: mismatched lhs, rhs and result quantization expressed types
func.func @expressed_types(%x: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %y: tensor<2x2x!quant.uniform<i8:f16, 1.0>>) {
  %0 = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x!quant.uniform<i8:f16, 1.0>>) -> tensor<2x2x!quant.uniform<i32:f32, 1.0>>
  func.return
}

// -----

// CHECK: mismatched rhs and result quantization granularity
func.func @granularity(%x: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %y: tensor<2x2x!quant.uniform<i8:f32, 1.0>>) {
  %0 = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {1.0, 1.0}>>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2x!quant.uniform<i8:f32, 1.000000e+00>>' are incompatible with return type(s) of operation 'tensor<2x!quant.uniform<u8:f32, 1.000000e+00>>'
func.func @sum_of_another_signedness(%a: tensor<2x!quant.uniform<i8:f32, 1.0>>) {
  %0 = stablehlo.add %a, %a : (tensor<2x!quant.uniform<i8:f32, 1.0>>, tensor<2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x!quant.uniform<u8:f32, 1.0>>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>' are incompatible with return type(s) of operation 'tensor<2x!quant.uniform<u8:f32:0, {1.000000e+00,2.000000e+00}>>'
func.func @sum_of_two_quantizations_of_another_signedness(%a: tensor<2x!quant.uniform<i8:f32:0, {1.0,2.0}>>, %b: tensor<2x!quant.uniform<i8:f32, 1.0>>) {
  %0 = stablehlo.add %a, %b : (tensor<2x!quant.uniform<i8:f32:0, {1.0,2.0}>>, tensor<2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x!quant.uniform<u8:f32:0, {1.0,2.0}>>
  func.return
}
