// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: expected both lhs/rhs ranks to be either 1 or 2
func.func @rank(%a: tensor<2x3x4xf32>, %b: tensor<4xf32>) {
  %0 = stablehlo.dot %a, %b : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: expected both lhs/rhs ranks to be either 1 or 2
func.func @sizes(%a: tensor<2x3xf32>, %b: tensor<4xf32>) {
  %0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: inferred shape '[2, 4]' is incompatible with return type of operation 'tensor<4x2xf32>'
func.func @result(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  %0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  func.return
}

// -----

// CHECK: expects precision config to be empty or have <= 2 elements, got 3
func.func @precisions(%a: tensor<2xf32>) {
  %0 = stablehlo.dot %a, %a, precision = [HIGH, HIGH, HIGH] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  func.return
}
