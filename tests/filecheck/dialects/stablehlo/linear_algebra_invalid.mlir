// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: argument 'a' must have rank >= 2, got shape 3.
func.func @cholesky_of_vector(%a: tensor<3xf32>) {
  %0 = "stablehlo.cholesky"(%a) : (tensor<3xf32>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: minor dimensions of 'a' must have equal size, got shape 2, 3, 4.
func.func @cholesky_of_rectangle(%a: tensor<2x3x4xf32>) {
  %0 = "stablehlo.cholesky"(%a) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  func.return
}

// -----

// CHECK: operand #0 must be ranked tensor of 4/6/8/16/32/64-bit float or complex type with 32/64-bit float elements
func.func @cholesky_of_integers(%a: tensor<3x3xi32>) {
  %0 = "stablehlo.cholesky"(%a) : (tensor<3x3xi32>) -> tensor<3x3xi32>
  func.return
}

// -----

// CHECK: operand 'a' must have rank >= 2, but got 'tensor<4xf32>'
func.func @solve_vector(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

// CHECK: two minor dimensions of operand 'a' must be compatible, but got 'tensor<4x5xf32>'
func.func @solve_rectangle(%a: tensor<4x5xf32>, %b: tensor<4x3xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<4x5xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

// CHECK: operands must have equal rank, but got 'tensor<2x4x4xf32>' and 'tensor<4x3xf32>'
func.func @solve_ranks(%a: tensor<2x4x4xf32>, %b: tensor<4x3xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<2x4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

// CHECK: shared dimension of operands 'a' and 'b' must be compatible, but got 'tensor<4x4xf32>' and 'tensor<4x3xf32>'
func.func @solve_shared(%a: tensor<4x4xf32>, %b: tensor<4x3xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

// CHECK: batch dimensions of the operands must be compatible
func.func @solve_batches(%a: tensor<2x4x4xf32>, %b: tensor<3x4x3xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<2x4x4xf32>, tensor<3x4x3xf32>) -> tensor<3x4x3xf32>
  func.return
}

// -----

// CHECK: Invalid transpose option value for triangular solve
func.func @solve_transpose(%a: tensor<4x4xf32>, %b: tensor<4x3xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>, unit_diagonal = true}> : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  func.return
}
