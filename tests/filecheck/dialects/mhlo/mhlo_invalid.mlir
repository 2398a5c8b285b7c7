// RUN: xshardy-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: operand is 'tuple<tensor<4xf32>>' but result is 'tuple<tensor<4xi32>>': they are one
func.func @copy_of_tuple(%t: tuple<tensor<4xf32>>) {
  %0 = "mhlo.copy"(%t) : (tuple<tensor<4xf32>>) -> tuple<tensor<4xi32>>
  return
}

// -----

// CHECK: operand's last dimension must be at least 11
func.func @topk_too_large(%x: tensor<10xf32>) {
  %0:2 = mhlo.topk(%x, k=11) : tensor<10xf32> -> (tensor<11xf32>, tensor<11xi32>)
  return
}

// -----

// CHECK: operand's rank must be at least 1
func.func @topk_scalar(%x: tensor<f32>) {
  %0:2 = mhlo.topk(%x, k=1) : tensor<f32> -> (tensor<f32>, tensor<i32>)
  return
}

// -----

// CHECK: There must be exactly one ragged dimension in the lhs.
func.func @no_ragged_dimension(%lhs: tensor<11x5xf32>, %rhs: tensor<3x5x7xf32>, %sizes: tensor<3xi64>) {
  %0 = "mhlo.ragged_dot"(%lhs, %rhs, %sizes) <{ragged_dot_dimension_numbers = #mhlo.ragged_dot<dot_dimension_numbers = #mhlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// CHECK: struct is missing required parameter: dot_dimension_numbers
"test.op"() {numbers = #mhlo.ragged_dot<lhs_ragged_dimensions = [0]>} : () -> ()

// -----

// CHECK: 'lhs_ragged_dimensions' is given twice: remove one of the two
"test.op"() {numbers = #mhlo.ragged_dot<lhs_ragged_dimensions = [0], lhs_ragged_dimensions = [0]>} : () -> ()
