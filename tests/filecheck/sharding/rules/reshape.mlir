// RUN: xshardy-opt %s -p sdy-populate-op-sharding-rules | filecheck %s

// CHECK-LABEL: @same_shape(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>
func.func @same_shape(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.reshape %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: @merge(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([ij, k]) {i=2, j=4, k=3}>
func.func @merge(%x: tensor<2x4x3xf32>) -> tensor<8x3xf32> {
  %0 = stablehlo.reshape %x : (tensor<2x4x3xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// CHECK-LABEL: @split(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([ijk, l])->([i, j, k, l]) {i=2, j=3, k=4, l=3}>
func.func @split(%x: tensor<24x3xf32>) -> tensor<2x3x4x3xf32> {
  %0 = stablehlo.reshape %x : (tensor<24x3xf32>) -> tensor<2x3x4x3xf32>
  return %0 : tensor<2x3x4x3xf32>
}

// CHECK-LABEL: @no_elements(
// CHECK-NOT: sharding_rule
func.func @no_elements(%x: tensor<0x4xf32>) -> tensor<2x0xf32> {
  %0 = stablehlo.reshape %x : (tensor<0x4xf32>) -> tensor<2x0xf32>
  return %0 : tensor<2x0xf32>
}
