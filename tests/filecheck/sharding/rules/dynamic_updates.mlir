// RUN: xshardy-opt %s -p sdy-populate-op-sharding-rules | filecheck %s

// CHECK-LABEL: @update(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [], [])->([i, j]) {i=8, j=4, k=1} need_replication={k}>
func.func @update(%x: tensor<8x4xf32>, %u: tensor<8x1xf32>, %i: tensor<i32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<8x4xf32>, tensor<8x1xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: @update_at_constants(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [], [])->([i, j]) {i=8, j=4, k=1}>
func.func @update_at_constants(%x: tensor<8x4xf32>, %u: tensor<8x1xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = sdy.constant dense<2> : tensor<i32>
  %2 = stablehlo.dynamic_update_slice %x, %u, %0, %1 : (tensor<8x4xf32>, tensor<8x1xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// CHECK-LABEL: @update_at_one_constant(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k], [], [])->([i, j]) {i=8, j=4, k=1} need_replication={k}>
func.func @update_at_one_constant(%x: tensor<8x4xf32>, %u: tensor<8x1xf32>, %i: tensor<i32>) -> tensor<8x4xf32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.dynamic_update_slice %x, %u, %0, %i : (tensor<8x4xf32>, tensor<8x1xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
