// RUN: xshardy-opt %s -p hlo-buffers-to-arrays | filecheck %s

// CHECK-LABEL: func.func @pinned_and_unpinned(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    %0 = stablehlo.negate %arg0 : tensor<4xf32>
// CHECK-NEXT:    return %0 : tensor<4xf32>
func.func @pinned_and_unpinned(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @Pin(%x) : (tensor<4xf32>) -> memref<4xf32>
  %1 = stablehlo.custom_call @Unpin(%0) : (memref<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.negate %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
