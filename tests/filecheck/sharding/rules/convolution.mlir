// RUN: xshardy-opt %s -p sdy-populate-op-sharding-rules | filecheck %s

// The input is divided among the windows: nothing of it is left for the elements of each, the kernel's own.
// CHECK-LABEL: @image(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l, n], [k, m, n, o])->([i, j, l, o]) {i=8, j=28, k=5, l=28, m=5, n=3, o=16} reduction={n} permutation={j, k, l, m}>
func.func @image(%x: tensor<8x32x32x3xf32>, %w: tensor<5x5x3x16xf32>) -> tensor<8x28x28x16xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x32x32x3xf32>, tensor<5x5x3x16xf32>) -> tensor<8x28x28x16xf32>
  return %0 : tensor<8x28x28x16xf32>
}

// More elements in a window than windows: the kernel comes first.
// CHECK-LABEL: @large_window(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, j], [m, l, j])->([i, m, k]) {i=2, j=7, k=3, l=3, m=4} reduction={j, l} permutation={k}>
func.func @large_window(%x: tensor<2x3x9xf32>, %w: tensor<4x3x7xf32>) -> tensor<2x4x3xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x9xf32>, tensor<4x3x7xf32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}

// More windows than elements, through padding: no factor is larger than the input.
// CHECK-LABEL: @padded(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, j], [m, l, k])->([i, m, j]) {i=2, j=4, k=3, l=3, m=4} reduction={l} permutation={j, k}>
func.func @padded(%x: tensor<2x3x4xf32>, %w: tensor<4x3x3xf32>) -> tensor<2x4x10xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {pad = [[4, 4]]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x4xf32>, tensor<4x3x3xf32>) -> tensor<2x4x10xf32>
  return %0 : tensor<2x4x10xf32>
}

// CHECK-LABEL: @groups_of_features(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, kl, j], [km, l, n])->([i, km, j]) {i=8, j=9, k=3, l=2, m=4, n=1} reduction={l} permutation={j}>
func.func @groups_of_features(%x: tensor<8x6x9xf32>, %w: tensor<12x2x1xf32>) -> tensor<8x12x9xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {}
      {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<8x6x9xf32>, tensor<12x2x1xf32>) -> tensor<8x12x9xf32>
  return %0 : tensor<8x12x9xf32>
}

// CHECK-LABEL: @groups_of_one_feature(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k, j], [k, l, m])->([i, k, j]) {i=8, j=9, k=6, l=1, m=1} reduction={l} permutation={j}>
func.func @groups_of_one_feature(%x: tensor<8x6x9xf32>, %w: tensor<6x1x1xf32>) -> tensor<8x6x9xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {}
      {batch_group_count = 1 : i64, feature_group_count = 6 : i64} : (tensor<8x6x9xf32>, tensor<6x1x1xf32>) -> tensor<8x6x9xf32>
  return %0 : tensor<8x6x9xf32>
}

// CHECK-LABEL: @groups_of_batches(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([ij, l, k], [im, l, n])->([j, im, k]) {i=2, j=4, k=9, l=3, m=2, n=1} reduction={l} permutation={k}>
func.func @groups_of_batches(%x: tensor<8x3x9xf32>, %w: tensor<4x3x1xf32>) -> tensor<4x4x9xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {}
      {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<8x3x9xf32>, tensor<4x3x1xf32>) -> tensor<4x4x9xf32>
  return %0 : tensor<4x4x9xf32>
}

// CHECK-LABEL: @groups_of_one_batch(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, k], [im, l, n])->([j, im, k]) {i=2, j=1, k=9, l=3, m=2, n=1} reduction={l} permutation={k}>
func.func @groups_of_one_batch(%x: tensor<2x3x9xf32>, %w: tensor<4x3x1xf32>) -> tensor<1x4x9xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {}
      {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x3x9xf32>, tensor<4x3x1xf32>) -> tensor<1x4x9xf32>
  return %0 : tensor<1x4x9xf32>
}

// CHECK-LABEL: @no_spatial_dimension(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j, k])->([i, k]) {i=8, j=3, k=4} reduction={j}>
func.func @no_spatial_dimension(%x: tensor<8x3xf32>, %w: tensor<3x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f]x[i, o]->[b, f], window = {}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x3xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
