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
