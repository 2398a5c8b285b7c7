// RUN: xshardy-opt %s -p sdy-populate-op-sharding-rules | filecheck %s

// CHECK-LABEL: @matrices(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=32, k=16} reduction={k}>
func.func @matrices(%x: tensor<8x16xf32>, %y: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %0 = stablehlo.dot %x, %y : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// CHECK-LABEL: @matrix_and_vector(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j])->([i]) {i=8, j=16} reduction={j}>
func.func @matrix_and_vector(%x: tensor<8x16xf32>, %y: tensor<16xf32>) -> tensor<8xf32> {
  %0 = stablehlo.dot %x, %y : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @vector_and_matrix(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([j], [j, i])->([i]) {i=32, j=16} reduction={j}>
func.func @vector_and_matrix(%x: tensor<16xf32>, %y: tensor<16x32xf32>) -> tensor<32xf32> {
  %0 = stablehlo.dot %x, %y : (tensor<16xf32>, tensor<16x32xf32>) -> tensor<32xf32>
  return %0 : tensor<32xf32>
}

// CHECK-LABEL: @vectors(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([]) {i=16} reduction={i}>
func.func @vectors(%x: tensor<16xf32>) -> tensor<f32> {
  %0 = stablehlo.dot %x, %x : (tensor<16xf32>, tensor<16xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @batches(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [i, l, k])->([i, j, k]) {i=4, j=8, k=32, l=16} reduction={l}>
func.func @batches(%x: tensor<4x8x16xf32>, %y: tensor<4x16x32xf32>) -> tensor<4x8x32xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1]
      : (tensor<4x8x16xf32>, tensor<4x16x32xf32>) -> tensor<4x8x32xf32>
  return %0 : tensor<4x8x32xf32>
}

// Batching and contracting dimensions are paired as they are written, wherever they stand.
// CHECK-LABEL: @crossed_dimensions(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([m, k, i, j], [j, l, i, m])->([i, j, k, l]) {i=3, j=2, k=5, l=7, m=16} reduction={m}>
func.func @crossed_dimensions(%x: tensor<16x5x3x2xf32>, %y: tensor<2x7x3x16xf32>) -> tensor<3x2x5x7xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [2, 3] x [2, 0], contracting_dims = [0] x [3]
      : (tensor<16x5x3x2xf32>, tensor<2x7x3x16xf32>) -> tensor<3x2x5x7xf32>
  return %0 : tensor<3x2x5x7xf32>
}

// CHECK-LABEL: @two_contracting_dimensions(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k, l], [l, k, j])->([i, j]) {i=8, j=5, k=2, l=3} reduction={k, l}>
func.func @two_contracting_dimensions(%x: tensor<8x2x3xf32>, %y: tensor<3x2x5xf32>) -> tensor<8x5xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1, 2] x [1, 0]
      : (tensor<8x2x3xf32>, tensor<3x2x5xf32>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// CHECK-LABEL: @outer_product(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j])->([i, j]) {i=8, j=4}>
func.func @outer_product(%x: tensor<8xf32>, %y: tensor<4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [] x [] : (tensor<8xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: @contracting_size_one(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=4, k=1} reduction={k}>
func.func @contracting_size_one(%x: tensor<8x1xf32>, %y: tensor<1x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x1xf32>, tensor<1x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
