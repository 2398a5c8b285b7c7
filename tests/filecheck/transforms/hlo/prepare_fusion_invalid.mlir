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

// -----

// CHECK: 'stablehlo.scatter' op has indices of tensor<3x1xsi32>, and kernels read integers without a sign: make si32 i32
func.func @signed_indices(%x: tensor<8xf32>, %i: tensor<3x1xsi32>, %u: tensor<3xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8xf32>, tensor<3x1xsi32>, tensor<3xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK: 'stablehlo.scatter' op has indices of tensor<3x1xindex>, and kernels read integers without a sign: make index i64
func.func @indices_of_index(%x: tensor<8xf32>, %i: tensor<3x1xindex>, %u: tensor<3xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8xf32>, tensor<3x1xindex>, tensor<3xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
