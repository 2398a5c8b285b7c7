// RUN: xshardy-opt %s -p sdy-populate-op-sharding-rules | filecheck %s

// CHECK-LABEL: @slice(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [], [], [])->([i, j, k]) {i=8, j=4, k=2} need_replication={j} blocked_propagation={j}>
func.func @slice(%x: tensor<8x4x2xf32>, %i: tensor<i32>) -> tensor<8x1x2xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, %i, %i, sizes = [8, 1, 2] : (tensor<8x4x2xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x1x2xf32>
  return %0 : tensor<8x1x2xf32>
}

// CHECK-LABEL: @slice_of_scalar(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([])->([])>
func.func @slice_of_scalar(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.dynamic_slice %x, sizes = [] : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
