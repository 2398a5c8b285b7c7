// RUN: xshardy-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: mismatched operand types
func.func @element_types(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  %0 = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xi1>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<4x3xf32>' are incompatible with return type(s) of operation 'tensor<4x4xf32>'
func.func @result_shape(%a: tensor<4x1xf32>, %b: tensor<3xf32>) {
  %0 = chlo.broadcast_add %a, %b : (tensor<4x1xf32>, tensor<3xf32>) -> tensor<4x4xf32>
  func.return
}

// -----

// CHECK: requires the same element type for all operands and results
func.func @result_element(%a: tensor<4x1xf32>, %b: tensor<3xf32>) {
  %0 = chlo.broadcast_subtract %a, %b : (tensor<4x1xf32>, tensor<3xf32>) -> tensor<4x3xf64>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<4x3xf32>' are incompatible with return type(s) of operation 'tensor<3x4xf32>'
func.func @result_along_dimensions(%a: tensor<4x3xf32>, %b: tensor<4xf32>) {
  %0 = chlo.broadcast_multiply %a, %b {broadcast_dimensions = array<i64: 0>} : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  func.return
}

// -----

// CHECK: must be tensor of 4/6/8/16/32/64-bit float values
func.func @complex_of_integers(%a: tensor<2xi32>) {
  %0 = chlo.broadcast_complex %a, %a : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----

// CHECK: must be tensor of pred (AKA boolean or 1-bit integer) or 2/4/8/16/32/64-bit integer values, but got 'tensor<2xf32>'
func.func @logical_of_floats(%a: tensor<2xf32>) {
  %0 = chlo.broadcast_and %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: requires attribute 'comparison_direction'
func.func @no_direction(%a: tensor<2xf32>) {
  %0 = chlo.broadcast_compare %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  func.return
}

// -----

// CHECK: mismatched operand types
func.func @branches(%p: tensor<i1>, %a: tensor<2xf32>, %b: tensor<2xf64>) {
  %0 = chlo.broadcast_select %p, %a, %b : (tensor<i1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2x2xf32>' are incompatible with return type(s) of operation 'tensor<2xf32>'
func.func @selected_shape(%p: tensor<2x1xi1>, %a: tensor<2xf32>, %b: tensor<2xf32>) {
  %0 = chlo.broadcast_select %p, %a, %b : (tensor<2x1xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: 'chlo.broadcast_add' op requires compatible element types for all operands and results
func.func @stored_in_another_type(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = chlo.broadcast_add %a, %a : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i16:f32, 0.5>>
  func.return
}

// -----

// CHECK: 'chlo.broadcast_multiply' op requires the same element type for all operands and results
func.func @other_scale(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = chlo.broadcast_multiply %a, %a : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.25>>
  func.return
}

// -----

// CHECK: must be tensor of pred (AKA boolean or 1-bit integer) values, but got 'tensor<2xi32>'
func.func @unranked_of_other_elements(%a: tensor<*xi32>) {
  %0 = chlo.broadcast_compare %a, %a {comparison_direction = #chlo<comparison_direction EQ>} : (tensor<*xi32>, tensor<*xi32>) -> tensor<2xi32>
  func.return
}
