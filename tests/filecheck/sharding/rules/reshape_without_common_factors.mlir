// RUN: xshardy-opt %s -p sdy-populate-op-sharding-rules | filecheck %s

// CHECK-LABEL: @scalar(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([])->([i, j]) {i=1, j=1}>
func.func @scalar(%x: tensor<f32>) -> tensor<1x1xf32> {
  %0 = stablehlo.reshape %x : (tensor<f32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// CHECK-LABEL: @ones_come_and_go(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, m])->([j, l, m, n, o]) {i=1, j=8, k=1, l=1, m=4, n=1, o=1}>
func.func @ones_come_and_go(%x: tensor<1x8x1x4xf32>) -> tensor<8x1x4x1x1xf32> {
  %0 = stablehlo.reshape %x : (tensor<1x8x1x4xf32>) -> tensor<8x1x4x1x1xf32>
  return %0 : tensor<8x1x4x1x1xf32>
}

// 6 = 2 * 3 on one side, 4 = 2 * 2 on the other: only the major 2 is common, and they meet again at the end.
// CHECK-LABEL: @part_in_common(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([ij, mn])->([ik, ln]) {i=2, j=3, k=2, l=3, m=2, n=2}>
func.func @part_in_common(%x: tensor<6x4xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.reshape %x : (tensor<6x4xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @nothing_in_common(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k])->([j, l]) {i=3, j=4, k=4, l=3}>
func.func @nothing_in_common(%x: tensor<3x4xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.reshape %x : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: @meets_again(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, lm, n])->([j, km, n]) {i=3, j=2, k=3, l=2, m=2, n=5}>
func.func @meets_again(%x: tensor<3x4x5xf32>) -> tensor<2x6x5xf32> {
  %0 = stablehlo.reshape %x : (tensor<3x4x5xf32>) -> tensor<2x6x5xf32>
  return %0 : tensor<2x6x5xf32>
}

// CHECK-LABEL: @long_way_apart(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([ij, mo, q])->([ik, ln, p]) {i=2, j=5, k=2, l=15, m=7, n=3, o=3, p=7, q=6}>
func.func @long_way_apart(%x: tensor<10x21x6xf32>) -> tensor<4x45x7xf32> {
  %0 = stablehlo.reshape %x : (tensor<10x21x6xf32>) -> tensor<4x45x7xf32>
  return %0 : tensor<4x45x7xf32>
}
