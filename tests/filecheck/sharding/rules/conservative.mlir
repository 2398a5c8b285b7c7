// RUN: xshardy-opt %s -p "sdy-populate-op-sharding-rules{conservative-propagation=true}" | filecheck %s

// CHECK-LABEL: @slice(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={j} blocked_propagation={j}>
func.func @slice(%x: tensor<8x4xf32>) -> tensor<8x2xf32> {
  %0 = stablehlo.slice %x [0:8, 1:3] : (tensor<8x4xf32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

// CHECK-LABEL: @pad(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=8, j=4} permutation={j} blocked_propagation={j}>
func.func @pad(%x: tensor<8x4xf32>, %p: tensor<f32>) -> tensor<8x6xf32> {
  %0 = stablehlo.pad %x, %p, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// Without a factor, each tensor has its own along the dimension.
// CHECK-LABEL: @concatenate(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k])->([i, l]) {i=8, j=1, k=1, l=1}>
func.func @concatenate(%x: tensor<8x4xf32>, %y: tensor<8x2xf32>) -> tensor<8x6xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<8x4xf32>, tensor<8x2xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: @convolution(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, j], [m, j, k])->([i, n, k]) {i=8, j=3, k=4, l=1, m=1, n=1} reduction={j}>
func.func @convolution(%x: tensor<8x9x3xf32>, %w: tensor<2x3x4xf32>) -> tensor<8x8x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x9x3xf32>, tensor<2x3x4xf32>) -> tensor<8x8x4xf32>
  return %0 : tensor<8x8x4xf32>
}

// CHECK-LABEL: @reduce_window(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=8, j=3} permutation={j} blocked_propagation={j}>
func.func @reduce_window(%x: tensor<8x4xf32>, %i: tensor<f32>) -> tensor<8x3xf32> {
  %0 = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2>} : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// CHECK-LABEL: @select_and_scatter(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [i, j], [])->([i, k]) {i=8, j=3, k=6} need_replication={j} permutation={k} blocked_propagation={j, k}>
func.func @select_and_scatter(%x: tensor<8x6xf32>, %s: tensor<8x3xf32>, %i: tensor<f32>) -> tensor<8x6xf32> {
  %0 = "stablehlo.select_and_scatter"(%x, %s, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}
      : (tensor<8x6xf32>, tensor<8x3xf32>, tensor<f32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// What changes no size is as ever.
// CHECK-LABEL: @reverse(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4} permutation={j}>
func.func @reverse(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.reverse %x, dims = [1] : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
