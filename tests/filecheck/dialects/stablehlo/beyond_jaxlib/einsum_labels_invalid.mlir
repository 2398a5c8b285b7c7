// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: config "ij,jk->ik": 'j' labels dimensions of different sizes, 3 and 1
func.func @a_label_of_two_sizes(%a: tensor<2x3xf32>, %b: tensor<1x4xf32>) {
  %0 = stablehlo.einsum %a, %b, config = "ij,jk->ik" : (tensor<2x3xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: config "...j,jk->...k": 'k' labels dimensions of different sizes, 4 and 5
func.func @another_size_in_the_result(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  %0 = stablehlo.einsum %a, %b, config = "...j,jk->...k" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x5xf32>
  func.return
}

// -----

// CHECK: config "ij,jk": expected the labels of 2 operands, then `->` and those of the result
func.func @no_labels_of_the_result(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  %0 = stablehlo.einsum %a, %b, config = "ij,jk" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: config "ij->ik": 'k' labels a dimension of the result, but of no operand
func.func @a_label_of_the_result_only(%a: tensor<2x3xf32>) {
  %0 = stablehlo.unary_einsum %a, config = "ij->ik" : (tensor<2x3xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: config "ijk->i": 'ijk' labels 3 dimensions of tensor<2x3xf32>
func.func @too_many_labels(%a: tensor<2x3xf32>) {
  %0 = stablehlo.unary_einsum %a, config = "ijk->i" : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}
