// RUN: xshardy-opt %s -t hlo | filecheck %s

// Buffers of StableHLO say their layout as MLIR does.

// CHECK: %pinned = b(f32[2,4]{0,1}) custom-call(%x), custom_call_target="Pin", output_to_operand_aliasing={{[{]}}{}: (0, {})}
// CHECK: %strided = b(f32[2,4]{1,0}) custom-call(%x), custom_call_target="Pin", output_to_operand_aliasing={{[{]}}{}: (0, {})}
// CHECK: %scalar = b(f32[]) custom-call(), custom_call_target="CreateBuffer"
#transposed = affine_map<(d0, d1) -> (d0 + d1 * 2)>
func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32>) {
  %pinned = stablehlo.custom_call @Pin(%x) : (tensor<2x4xf32>) -> memref<2x4xf32, #transposed>
  %strided = stablehlo.custom_call @Pin(%x) : (tensor<2x4xf32>) -> memref<2x4xf32, strided<[4, 1]>>
  %scalar = stablehlo.custom_call @CreateBuffer() : () -> memref<f32>
  %0 = stablehlo.custom_call @Unpin(%pinned) : (memref<2x4xf32, #transposed>) -> tensor<2x4xf32>
  %1 = stablehlo.custom_call @Unpin(%strided) : (memref<2x4xf32, strided<[4, 1]>>) -> tensor<2x4xf32>
  %2 = stablehlo.custom_call @Unpin(%scalar) : (memref<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<f32>
}
