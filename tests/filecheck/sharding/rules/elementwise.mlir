// RUN: xshardy-opt %s -p sdy-populate-op-sharding-rules | filecheck %s

// CHECK-LABEL: @unary(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>
func.func @unary(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.tanh %x : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: @binary(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, j, k])->([i, j, k]) {i=2, j=3, k=5}>
func.func @binary(%x: tensor<2x3x5xi32>, %y: tensor<2x3x5xi32>) -> tensor<2x3x5xi32> {
  %0 = stablehlo.shift_left %x, %y : tensor<2x3x5xi32>
  return %0 : tensor<2x3x5xi32>
}

// Element types are not part of a rule.
// CHECK-LABEL: @other_element_type(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=4}>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>
func.func @other_element_type(%x: tensor<8x4xf32>) -> (tensor<8x4xi1>, tensor<8x4xbf16>) {
  %0 = stablehlo.compare LT, %x, %x : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xi1>
  %1 = stablehlo.convert %x : (tensor<8x4xf32>) -> tensor<8x4xbf16>
  return %0, %1 : tensor<8x4xi1>, tensor<8x4xbf16>
}

// CHECK-LABEL: @scalars(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
func.func @scalars(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %x, %x : tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @sizes_zero_and_one(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=0, j=1, k=4}>
func.func @sizes_zero_and_one(%x: tensor<0x1x4xf32>) -> tensor<0x1x4xf32> {
  %0 = stablehlo.negate %x : tensor<0x1x4xf32>
  return %0 : tensor<0x1x4xf32>
}

// CHECK-LABEL: @scalar_condition(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [i, j], [i, j])->([i, j]) {i=8, j=4}>
func.func @scalar_condition(%p: tensor<i1>, %x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.select %p, %x, %x : tensor<i1>, tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: @condition_per_element(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j], [i, j])->([i, j]) {i=8, j=4}>
func.func @condition_per_element(%p: tensor<8x4xi1>, %x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.select %p, %x, %x : tensor<8x4xi1>, tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: @one_scalar_bound(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([], [i], [i])->([i]) {i=8}>
func.func @one_scalar_bound(%low: tensor<f32>, %x: tensor<8xf32>, %high: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.clamp %low, %x, %high : (tensor<f32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @bitcast_of_same_width(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=2}>
func.func @bitcast_of_same_width(%x: tensor<8x2xf32>) -> tensor<8x2xui32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<8x2xf32>) -> tensor<8x2xui32>
  return %0 : tensor<8x2xui32>
}

// CHECK-LABEL: @bitcast_to_narrower(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j, k]) {i=8, j=2, k=2} need_replication={k}>
func.func @bitcast_to_narrower(%x: tensor<8x2xui64>) -> tensor<8x2x2xui32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<8x2xui64>) -> tensor<8x2x2xui32>
  return %0 : tensor<8x2x2xui32>
}

// CHECK-LABEL: @bitcast_to_wider(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=8, j=4} need_replication={j}>
func.func @bitcast_to_wider(%x: tensor<8x4xui8>) -> tensor<8xui32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<8x4xui8>) -> tensor<8xui32>
  return %0 : tensor<8xui32>
}

// CHECK-LABEL: @batch_norm(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [j], [j], [j], [j])->([i, j, k]) {i=8, j=4, k=6}>
func.func @batch_norm(%x: tensor<8x4x6xf32>, %f: tensor<4xf32>) -> tensor<8x4x6xf32> {
  %0 = "stablehlo.batch_norm_inference"(%x, %f, %f, %f, %f) {epsilon = 0.1 : f32, feature_index = 1 : i64}
      : (tensor<8x4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<8x4x6xf32>
  return %0 : tensor<8x4x6xf32>
}

sdy.mesh @mesh = <["a"=2]>

// CHECK-LABEL: @constraint(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>
func.func @constraint(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a"}, {?}]> : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
