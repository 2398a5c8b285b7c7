// RUN: xshardy-opt %s | filecheck %s

// Older versions of StableHLO write arrays of numbers as dense elements. Where today's are dense too, they stay.

// CHECK-LABEL: func.func @slice
func.func @slice(%x: tensor<4x6xf32>) -> tensor<2x2xf32> {
  // CHECK-NEXT: %0 = stablehlo.slice %arg0 [1:3, 2:6:2]
  %0 = "stablehlo.slice"(%x) {
    limit_indices = dense<[3, 6]> : tensor<2xi64>, start_indices = dense<[1, 2]> : tensor<2xi64>,
    strides = dense<[1, 2]> : tensor<2xi64>
  } : (tensor<4x6xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @splat_and_empty
func.func @splat_and_empty(%x: tensor<4x4xf32>, %s: tensor<f32>) -> (tensor<4x4xf32>, tensor<f32>) {
  // CHECK-NEXT: %0 = stablehlo.pad %arg0, %arg1, low = [1, 1], high = [-1, -1], interior = [0, 0]
  %0 = "stablehlo.pad"(%x, %s) {
    edge_padding_high = dense<-1> : tensor<2xi64>, edge_padding_low = dense<1> : tensor<2xi64>,
    interior_padding = dense<0> : tensor<2xi64>
  } : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  // CHECK-NEXT: %1 = stablehlo.transpose %arg1, dims = []
  %1 = "stablehlo.transpose"(%s) {permutation = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<4x4xf32>, tensor<f32>
}

// CHECK-LABEL: func.func @convolution
func.func @convolution(%x: tensor<2x8x3xf32>, %k: tensor<2x3x4xf32>) -> tensor<2x4x4xf32> {
  // CHECK-NEXT: window = {stride = [2], pad = {{\[\[}}0, 1]], reverse = [true]}
  %0 = "stablehlo.convolution"(%x, %k) {
    batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    feature_group_count = 1 : i64, padding = dense<[[0, 1]]> : tensor<1x2xi64>,
    window_reversal = dense<true> : tensor<1xi1>, window_strides = dense<2> : tensor<1xi64>
  } : (tensor<2x8x3xf32>, tensor<2x3x4xf32>) -> tensor<2x4x4xf32>
  return %0 : tensor<2x4x4xf32>
}

// CHECK-LABEL: func.func @in_chlo
func.func @in_chlo(%x: tensor<4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK-NEXT: {broadcast_dimensions = array<i64: 1>}
  %0 = "chlo.broadcast_add"(%x, %y) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
