// RUN: xshardy-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: Expressed type of result expected to be 'f32', but got 'f64'
func.func @quantize_to_other_floats(%a: tensor<2xf32>) {
  %0 = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f64, 0.5>>
  func.return
}

// -----

// CHECK: requires the same shape for all operands and results
func.func @quantize_to_other_shape(%a: tensor<2xf32>) {
  %0 = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5>>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2xf64>'
func.func @dequantize(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf64>
  func.return
}

// -----

// CHECK: operand #0 must be ranked tensor of {{.*}}, but got 'tensor<2x!quant.uniform<i8:f32:0, {5.000000e-01,5.000000e-01}>>'
func.func @per_axis(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>) {
  %0 = "stablehlo.negate"(%a) : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>
  func.return
}

// -----

// CHECK: operand #0 must be ranked tensor of {{.*}}, but got 'tensor<3x!quant.uniform<i8:f32:0, {5.000000e-01,5.000000e-01}>>'
func.func @scales_along_axis(%a: tensor<3x!quant.uniform<i8:f32:0, {0.5, 0.5}>>) {
  %0 = "stablehlo.reshape"(%a) : (tensor<3x!quant.uniform<i8:f32:0, {0.5, 0.5}>>) -> tensor<3x!quant.uniform<i8:f32:0, {0.5, 0.5}>>
  func.return
}

// -----

// CHECK: operand #0 must be ranked tensor of {{.*}}, but got 'tensor<3x!quant.uniform<i8:f32, 5.000000e-01:200>>'
func.func @zero_point_is_stored(%a: tensor<3x!quant.uniform<i8:f32, 0.5:200>>) {
  %0 = "stablehlo.negate"(%a) : (tensor<3x!quant.uniform<i8:f32, 0.5:200>>) -> tensor<3x!quant.uniform<i8:f32, 0.5:200>>
  func.return
}

// -----

// CHECK: expects  all operands and results to be either quantized or non-quantized
func.func @sum_of_floats(%a: tensor<2xf32>) {
  %0 = stablehlo.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  func.return
}

// -----

// CHECK: mismatched operands and result quantization storage types
func.func @sum_storage(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.add %a, %a : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i4:f32, 0.5>>
  func.return
}

// -----

// CHECK: mismatched operands and result quantization expressed types
func.func @sum_expressed(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.add %a, %a : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f64, 0.5>>
  func.return
}

// -----

// CHECK: result is not per_axis quantized but lhs or rhs are
func.func @sum_loses_axis(%a: tensor<1x!quant.uniform<i8:f32:0, {0.5}>>) {
  %0 = stablehlo.add %a, %a : (tensor<1x!quant.uniform<i8:f32:0, {0.5}>>, tensor<1x!quant.uniform<i8:f32:0, {0.5}>>) -> tensor<1x!quant.uniform<i8:f32, 0.5>>
  func.return
}

// -----

// CHECK: quantization_dimension of lhs and result are not same
func.func @sum_axis(%a: tensor<1x1x!quant.uniform<i8:f32:0, {0.5}>>) {
  %0 = stablehlo.add %a, %a : (tensor<1x1x!quant.uniform<i8:f32:0, {0.5}>>, tensor<1x1x!quant.uniform<i8:f32:0, {0.5}>>) -> tensor<1x1x!quant.uniform<i8:f32:1, {0.5}>>
  func.return
}

// -----

// CHECK: operand quantization_dimension 0 is not same as permutation[0] = 1
func.func @transpose(%a: tensor<1x1x!quant.uniform<i8:f32:0, {0.5}>>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<1x1x!quant.uniform<i8:f32:0, {0.5}>>) -> tensor<1x1x!quant.uniform<i8:f32:0, {0.5}>>
  func.return
}

// -----

// CHECK: expect same quantization scale and zero_point but got
func.func @reshape_changes_scale(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.reshape %a : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x2x!quant.uniform<i8:f32, 0.25>>
  func.return
}

// -----

// CHECK: expect same quantization dimension size for operand and result
func.func @reshape_axis(%a: tensor<2x1x!quant.uniform<i8:f32:0, {0.5, 0.5}>>) {
  %0 = stablehlo.reshape %a : (tensor<2x1x!quant.uniform<i8:f32:0, {0.5, 0.5}>>) -> tensor<2x1x!quant.uniform<i8:f32:1, {0.5}>>
  func.return
}

// -----

// CHECK: product of dimensions before quantization dimension must match between operand and result for 2 and 1
func.func @reshape_before_axis(%a: tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.5}>>) {
  %0 = stablehlo.reshape %a : (tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.5}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>
  func.return
}

// -----

// CHECK: result quantization_dimension 0 not same as broadcast_dimensions[0] = 1
func.func @broadcast_axis(%a: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>
  func.return
}

// -----

// CHECK: mismatch result scale 1 (2.500000e-01) and operand scale 0 (5.000000e-01)
func.func @broadcast_scale(%a: tensor<1x!quant.uniform<i8:f32:0, {0.5}>>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<1x!quant.uniform<i8:f32:0, {0.5}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>
  func.return
}

// -----

// CHECK: rhs should be quantized for quantized operations and is_quantized(lhs)=is_quantized(result) should hold
func.func @dot_of_quantized_and_floats(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>, %b: tensor<2xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2xf32>) -> tensor<!quant.uniform<i8:f32, 0.5>>
  func.return
}

// -----

// CHECK: Zero point of rhs should be 0
func.func @dot_zero_point(%a: tensor<2xf32>, %b: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<f32>
  func.return
}

// -----

// CHECK: Quantization dimension of rhs should not be in the contracting dimension of rhs
func.func @dot_axis(%a: tensor<2xf32>, %b: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>) -> tensor<f32>
  func.return
}

// -----

// CHECK: mismatched rhs quantization expressed type and lhs and result element type
func.func @dot_of_other_floats(%a: tensor<2xf64>, %b: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<2xf64>, tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<f64>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2xi8>' are incompatible with return type(s) of operation 'tensor<2x!quant.uniform<i4:f32, 5.000000e-01>>'
func.func @constant() {
  %0 = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i4:f32, 0.5>>
  func.return
}

// -----

// CHECK: illegal storage type size: 64 (at most 32 bits)
func.func private @width(!quant.uniform<i64:f32, 0.5>)

// -----

// CHECK: illegal storage min and storage max combination: (3:-3)
func.func private @limits(!quant.uniform<i8<3:-3>:f32, 0.5>)

// -----

// CHECK: illegal storage type minimum: -129
func.func private @minimum(!quant.uniform<i8<-129:3>:f32, 0.5>)

// -----

// CHECK: illegal storage type maximum: 128
func.func private @maximum(!quant.uniform<i8<0:128>:f32, 0.5>)

// -----

// CHECK: scale 1.000000e-50 out of expressed type range
func.func private @scale(!quant.uniform<i8:f32, 1.0e-50>)

// -----

// CHECK: illegal storage type prefix in 's8': expected `i8`, `u4`, ...
func.func private @prefix(!quant.uniform<s8:f32, 0.5>)
