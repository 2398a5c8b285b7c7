// RUN: xshardy-opt %s -p hlo-prepare-fusion --split-input-file --verify-diagnostics | filecheck %s

// CHECK: 'chlo.broadcast_add' op cannot be written in operations of StableHLO: tensor<3xf32> and tensor<4xf32> cannot be broadcast to tensor<4xf32>
func.func @sizes_that_differ(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.broadcast_add %x, %y : (tensor<3xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK: tensor<2x4xf32> and tensor<4xf32> cannot be broadcast along [2] to tensor<2x4xf32>
func.func @no_such_dimension(%x: tensor<2x4xf32>, %y: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: 2>} : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
