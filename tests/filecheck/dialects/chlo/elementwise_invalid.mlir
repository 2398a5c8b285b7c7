// RUN: xshardy-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: operand #0 must be tensor of 4/6/8/16/32/64-bit float values, but got 'tensor<2xi32>'
func.func @element(%a: tensor<2xi32>) {
  %0 = chlo.erf %a : tensor<2xi32> -> tensor<2xi32>
  func.return
}

// -----

// CHECK: requires the same shape for all operands and results
func.func @result_shape(%a: tensor<2xf32>) {
  %0 = chlo.erf %a : tensor<2xf32> -> tensor<3xf32>
  func.return
}

// -----

// CHECK: 'tensor<2xf64>'
func.func @result_element(%a: tensor<2xf32>) {
  %0 = chlo.square %a : tensor<2xf32> -> tensor<2xf64>
  func.return
}

// -----

// CHECK: must be tensor of complex type with 32/64-bit float elements values, but got 'tensor<2xf32>'
func.func @complex_kernel(%a: tensor<2xf32>) {
  %0 = chlo._asin_acos_kernel %a : tensor<2xf32> -> tensor<2xf32>
  func.return
}

// -----

// CHECK: must be tensor of pred (AKA boolean or 1-bit integer) values, but got 'tensor<2xf32>'
func.func @predicate_element(%a: tensor<2xf32>) {
  %0 = chlo.is_inf %a : tensor<2xf32> -> tensor<2xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2xi1>' are incompatible with return type(s) of operation 'tensor<3xi1>'
func.func @predicate_shape(%a: tensor<2xf32>) {
  %0 = chlo.is_pos_inf %a : tensor<2xf32> -> tensor<3xi1>
  func.return
}

// -----

// CHECK: requires compatible types
func.func @operands(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  %0 = chlo.zeta %a, %b : tensor<2xf32>, tensor<2xf64> -> tensor<2xf32>
  func.return
}

// -----

// CHECK: must be ranked tensor of 2/4/8/16/32/64-bit integer values, but got 'tensor<2xf32>'
func.func @mulhi_of_floats(%a: tensor<2xf32>) {
  %0 = chlo.mulhi %a, %a : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  func.return
}

// -----

// CHECK: error: expected '->'
func.func @short_type(%a: tensor<2xf32>) {
  %0 = chlo.erf %a : tensor<2xf32>
  func.return
}
