// RUN: xshardy-opt %s -p sdy-populate-op-sharding-rules | filecheck %s

// CHECK-LABEL: @cholesky(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=8, j=4, k=4} need_replication={j, k}>
func.func @cholesky(%x: tensor<8x4x4xf32>) -> tensor<8x4x4xf32> {
  %0 = stablehlo.cholesky %x, lower = true : tensor<8x4x4xf32>
  return %0 : tensor<8x4x4xf32>
}

// CHECK-LABEL: @fft(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=8, j=4, k=4} need_replication={j, k}>
func.func @fft(%x: tensor<8x4x4xcomplex<f32>>) -> tensor<8x4x4xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [4, 4] : (tensor<8x4x4xcomplex<f32>>) -> tensor<8x4x4xcomplex<f32>>
  return %0 : tensor<8x4x4xcomplex<f32>>
}

// Half of the spectrum of real numbers tells the other half.
// CHECK-LABEL: @real_fft(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} need_replication={j} blocked_propagation={j}>
func.func @real_fft(%x: tensor<8x16xf32>) -> tensor<8x9xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = RFFT, length = [16] : (tensor<8x16xf32>) -> tensor<8x9xcomplex<f32>>
  return %0 : tensor<8x9xcomplex<f32>>
}

// CHECK-LABEL: @solve_left(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [i, j, k])->([i, l, k]) {i=8, j=3, k=5, l=3} need_replication={j, k, l}>
func.func @solve_left(%a: tensor<8x3x3xf32>, %b: tensor<8x3x5xf32>) -> tensor<8x3x5xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false,
      transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<8x3x3xf32>, tensor<8x3x5xf32>) -> tensor<8x3x5xf32>
  return %0 : tensor<8x3x5xf32>
}

// CHECK-LABEL: @solve_left_adjoint(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, j], [i, j, k])->([i, l, k]) {i=8, j=3, k=5, l=3} need_replication={j, k, l}>
func.func @solve_left_adjoint(%a: tensor<8x3x3xf32>, %b: tensor<8x3x5xf32>) -> tensor<8x3x5xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false,
      transpose_a = #stablehlo<transpose ADJOINT>} : (tensor<8x3x3xf32>, tensor<8x3x5xf32>) -> tensor<8x3x5xf32>
  return %0 : tensor<8x3x5xf32>
}

// CHECK-LABEL: @solve_right(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([k, j], [i, j])->([i, k]) {i=5, j=3, k=3} need_replication={i, j, k}>
func.func @solve_right(%a: tensor<3x3xf32>, %b: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = true, unit_diagonal = false,
      transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// CHECK-LABEL: @solve_right_transposed(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([j, k], [i, j])->([i, k]) {i=5, j=3, k=3} need_replication={i, j, k}>
func.func @solve_right_transposed(%a: tensor<3x3xf32>, %b: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = true, unit_diagonal = false,
      transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<3x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
