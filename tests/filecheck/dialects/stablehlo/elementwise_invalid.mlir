// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: 'stablehlo.add' op requires the same shape for all operands and results
func.func @shapes_differ(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  %0 = stablehlo.add %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: requires compatible types for all operands and results
func.func @element_types_differ(%a: tensor<2xf32>, %b: tensor<2xbf16>) {
  %0 = stablehlo.multiply %a, %b : (tensor<2xf32>, tensor<2xbf16>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2xf64>'
func.func @result_differs(%a: tensor<2xf32>) {
  %0 = stablehlo.tanh %a : (tensor<2xf32>) -> tensor<2xf64>
  func.return
}

// -----

// CHECK: must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements{{.*}} values, but got 'tensor<2xi32>'
func.func @transcendental_of_integers(%a: tensor<2xi32>) {
  %0 = stablehlo.tanh %a : tensor<2xi32>
  func.return
}

// -----

// CHECK: must be ranked tensor of 2/4/8/16/32/64-bit signless integer or {{.*}}, but got 'tensor<2xui32>'
func.func @abs_of_unsigned(%a: tensor<2xui32>) {
  %0 = stablehlo.abs %a : tensor<2xui32>
  func.return
}

// -----

// CHECK: but got 'tensor<2xi1>'
func.func @subtract_of_predicates(%a: tensor<2xi1>) {
  %0 = stablehlo.subtract %a, %a : tensor<2xi1>
  func.return
}

// -----

// CHECK: but got 'tensor<2xf32>'
func.func @and_of_floats(%a: tensor<2xf32>) {
  %0 = stablehlo.and %a, %a : tensor<2xf32>
  func.return
}

// -----

// CHECK: but got 'tensor<2xi1>'
func.func @shift_of_predicates(%a: tensor<2xi1>) {
  %0 = stablehlo.shift_left %a, %a : tensor<2xi1>
  func.return
}

// -----

// CHECK: must be ranked tensor of {{.*}}, but got 'tensor<*xf32>'
func.func @unranked(%a: tensor<*xf32>) {
  %0 = stablehlo.add %a, %a : tensor<*xf32>
  func.return
}

// -----

// CHECK: must be ranked tensor of {{.*}}, but got 'vector<2xf32>'
func.func @vector(%a: vector<2xf32>) {
  %0 = stablehlo.add %a, %a : vector<2xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2xf64>'
func.func @real_of_complex(%a: tensor<2xcomplex<f32>>) {
  %0 = stablehlo.real %a : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  func.return
}

// -----

// CHECK: all non-scalar operands/results must have the same shape and base type
func.func @is_finite(%a: tensor<2xf32>) {
  %0 = stablehlo.is_finite %a : (tensor<2xf32>) -> tensor<3xi1>
  func.return
}

// -----

// CHECK: requires the same shape for all operands and results
func.func @convert(%a: tensor<2xf32>) {
  %0 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<3xi1>
  func.return
}

// -----

// CHECK: must be ranked tensor of 32/64-bit float values, but got 'tensor<2xf16>'
func.func @complex_of_halves(%a: tensor<2xf16>) {
  %0 = "stablehlo.complex"(%a, %a) : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2xcomplex<f32>>' are incompatible with return type(s) of operation 'tensor<2xcomplex<f64>>'
func.func @complex_of_other_width(%a: tensor<2xf32>) {
  %0 = stablehlo.complex %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f64>>
  func.return
}

// -----

// CHECK: attribute 'exponent_bits' failed to satisfy constraint: 32-bit signless integer attribute whose value is positive
func.func @no_exponent(%a: tensor<2xf32>) {
  %0 = stablehlo.reduce_precision %a, format = e0m10 : tensor<2xf32>
  func.return
}

// -----

// CHECK: Invalid tolerances for ResultAccuracyAttr with mode HIGHEST, must be all zero.
func.func @tolerance_in_another_mode(%a: tensor<2xf32>) {
  %0 = stablehlo.tanh %a {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
  func.return
}

// -----

// CHECK: requires compatible element types for all operands
func.func @compare_element_types(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  %0 = stablehlo.compare LT, %a, %b : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xi1>
  func.return
}

// -----

// CHECK: requires the same shape for all operands
func.func @compare_shapes(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  %0 = stablehlo.compare LT, %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xi1>
  func.return
}

// -----

// CHECK: must be ranked tensor of pred (AKA boolean or 1-bit integer) values, but got 'tensor<2xf32>'
func.func @compare_result(%a: tensor<2xf32>) {
  %0 = stablehlo.compare LT, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: requires compatible types for non-predicate operands
func.func @select_between_types(%p: tensor<i1>, %a: tensor<2xf32>, %b: tensor<2xf64>) {
  %0 = stablehlo.select %p, %a, %b : (tensor<i1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: requires the same shape for all operands
func.func @select_by_another_shape(%p: tensor<3xi1>, %a: tensor<2xf32>) {
  %0 = stablehlo.select %p, %a, %a : tensor<3xi1>, tensor<2xf32>
  func.return
}

// -----

// CHECK: max shape [3] is not scalar and is not compatible to operand shape [2]
func.func @clamp_shapes(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  %0 = stablehlo.clamp %a, %a, %b : (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: requires compatible element types for all operands and results
func.func @clamp_element_types(%a: tensor<f64>, %b: tensor<3xf32>) {
  %0 = stablehlo.clamp %a, %b, %a : (tensor<f64>, tensor<3xf32>, tensor<f64>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: Invalid tolerances: atol, rtol and ulps must not be negative
func.func @negative_tolerance(%x: tensor<8xf32>) {
  %0 = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.result_accuracy<atol = -1.0, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<8xf32>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: result per_axis quantized but none from rhs and lhs are per_axis quantized
func.func @scales_of_a_sum(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.add %a, %a : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>
  func.return
}

// -----

// CHECK: requires compatible types for all operands and results, but got 'tensor<2xf32>', 'tensor<2xf64>' and 'tensor<2xcomplex<f32>>'
func.func @parts_of_a_complex_number(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  %0 = "stablehlo.complex"(%a, %b) : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xcomplex<f32>>
  func.return
}
