// RUN: xshardy-opt %s -p sdy-populate-op-sharding-rules | filecheck %s

// CHECK-LABEL: @transpose(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([j, k, i])->([i, j, k]) {i=5, j=2, k=3}>
func.func @transpose(%x: tensor<2x3x5xf32>) -> tensor<5x2x3xf32> {
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x5xf32>) -> tensor<5x2x3xf32>
  return %0 : tensor<5x2x3xf32>
}

// CHECK-LABEL: @transpose_of_scalar(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([])->([])>
func.func @transpose_of_scalar(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.transpose %x, dims = [] : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @broadcast_of_scalar(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([])->([i, j]) {i=8, j=4}>
func.func @broadcast_of_scalar(%x: tensor<f32>) -> tensor<8x4xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: @broadcast_with_transpose(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([k, i])->([i, j, k]) {i=8, j=3, k=4}>
func.func @broadcast_with_transpose(%x: tensor<4x8xf32>) -> tensor<8x3x4xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<4x8xf32>) -> tensor<8x3x4xf32>
  return %0 : tensor<8x3x4xf32>
}

// The dimension of size 1 that is expanded, and that of the result, are not the same.
// CHECK-LABEL: @broadcast_of_size_one(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k])->([j, k]) {i=1, j=4, k=8}>
func.func @broadcast_of_size_one(%x: tensor<1x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: @broadcast_of_size_one_that_stays(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j, k]) {i=1, j=8, k=2}>
func.func @broadcast_of_size_one_that_stays(%x: tensor<1x8xf32>) -> tensor<1x8x2xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<1x8x2xf32>
  return %0 : tensor<1x8x2xf32>
}

// CHECK-LABEL: @reverse(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=8, j=4, k=2} permutation={i, k}>
func.func @reverse(%x: tensor<8x4x2xf32>) -> tensor<8x4x2xf32> {
  %0 = stablehlo.reverse %x, dims = [0, 2] : tensor<8x4x2xf32>
  return %0 : tensor<8x4x2xf32>
}

// CHECK-LABEL: @pad(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [])->([i, j, k]) {i=8, j=4, k=3} permutation={j, k}>
func.func @pad(%x: tensor<8x4x3xf32>, %p: tensor<f32>) -> tensor<8x6x5xf32> {
  %0 = stablehlo.pad %x, %p, low = [0, 1, 0], high = [0, 1, 0], interior = [0, 0, 1]
      : (tensor<8x4x3xf32>, tensor<f32>) -> tensor<8x6x5xf32>
  return %0 : tensor<8x6x5xf32>
}

// CHECK-LABEL: @slice(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=8, j=4, k=3} permutation={j, k}>
func.func @slice(%x: tensor<8x4x3xf32>) -> tensor<8x2x1xf32> {
  %0 = stablehlo.slice %x [0:8, 1:3, 2:3] : (tensor<8x4x3xf32>) -> tensor<8x2x1xf32>
  return %0 : tensor<8x2x1xf32>
}

// CHECK-LABEL: @concatenate(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=6} need_replication={j}>
func.func @concatenate(%x: tensor<8x4xf32>, %y: tensor<8x2xf32>) -> tensor<8x6xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<8x4xf32>, tensor<8x2xf32>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: @concatenate_slices(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8} permutation={i}>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8} permutation={i}>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=4} permutation={i}>
func.func @concatenate_slices(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<4xf32> {
  %0 = stablehlo.slice %x [0:2] : (tensor<8xf32>) -> tensor<2xf32>
  %1 = stablehlo.slice %y [3:5] : (tensor<8xf32>) -> tensor<2xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: @concatenate_halo(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8} permutation={i}>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8} permutation={i}>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i], [i])->([i]) {i=10} permutation={i}>
func.func @concatenate_halo(%x: tensor<8xf32>) -> tensor<10xf32> {
  %0 = stablehlo.slice %x [7:8] : (tensor<8xf32>) -> tensor<1xf32>
  %1 = stablehlo.slice %x [0:1] : (tensor<8xf32>) -> tensor<1xf32>
  %2 = stablehlo.concatenate %0, %x, %1, dim = 0 : (tensor<1xf32>, tensor<8xf32>, tensor<1xf32>) -> tensor<10xf32>
  return %2 : tensor<10xf32>
}

// CHECK-LABEL: @concatenate_with_slice_of_another(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8} permutation={i}>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=9} need_replication={i}>
func.func @concatenate_with_slice_of_another(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<9xf32> {
  %0 = stablehlo.slice %y [0:1] : (tensor<8xf32>) -> tensor<1xf32>
  %1 = stablehlo.concatenate %x, %0, dim = 0 : (tensor<8xf32>, tensor<1xf32>) -> tensor<9xf32>
  return %1 : tensor<9xf32>
}

// CHECK-LABEL: @concatenate_with_itself(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=16} need_replication={i}>
func.func @concatenate_with_itself(%x: tensor<8xf32>) -> tensor<16xf32> {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// CHECK-LABEL: @concatenate_one_slice(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8} permutation={i}>
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=3} permutation={i}>
func.func @concatenate_one_slice(%x: tensor<8xf32>) -> tensor<3xf32> {
  %0 = stablehlo.slice %x [0:3] : (tensor<8xf32>) -> tensor<3xf32>
  %1 = stablehlo.concatenate %0, dim = 0 : (tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
