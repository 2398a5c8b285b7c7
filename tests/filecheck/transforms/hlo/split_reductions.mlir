// RUN: xshardy-opt %s -p hlo-split-reductions | filecheck %s

// CHECK-LABEL: func.func @columns(
// CHECK:         %[[V:.*]] = stablehlo.reshape %arg0 : (tensor<8x1024x4xf32>) -> tensor<1x64x128x4xf32>
// CHECK-NEXT:    %[[P:.*]] = stablehlo.reduce(%[[V]] init: %{{.*}}) applies stablehlo.add across dimensions = [2]
// CHECK-NEXT:    %[[R:.*]] = stablehlo.reduce(%[[P]] init: %{{.*}}) applies stablehlo.add across dimensions = [1]
// CHECK-NEXT:    stablehlo.reshape %[[R]] : (tensor<1x4xf32>) -> tensor<4xf32>
func.func @columns(%x: tensor<8x1024x4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x1024x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @row(
// CHECK:         %[[V:.*]] = stablehlo.reshape %arg0 : (tensor<262144xf32>) -> tensor<1x512x512x1xf32>
// CHECK-NEXT:    %[[P:.*]] = stablehlo.reduce(%[[V]] init: %{{.*}}) applies stablehlo.add across dimensions = [2]
// CHECK-NEXT:    %[[R:.*]] = stablehlo.reduce(%[[P]] init: %{{.*}}) applies stablehlo.add across dimensions = [1]
// CHECK-NEXT:    stablehlo.reshape %[[R]] : (tensor<1x1xf32>) -> tensor<f32>
func.func @row(%x: tensor<262144xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<262144xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// One block takes it; five would be added twice; no divisor is near the root; there is a row for each core.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     stablehlo.reshape
// CHECK:         return
func.func @others(%x: tensor<1024x4xf32>, %y: tensor<8192x4xf32>, %z: tensor<8191x4xf32>, %r: tensor<200x16384xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<200xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %five = stablehlo.constant dense<5.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1024x4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.reduce(%y init: %five) applies stablehlo.add across dimensions = [0] : (tensor<8192x4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8191x4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = stablehlo.reduce(%r init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<200x16384xf32>, tensor<f32>) -> tensor<200xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<200xf32>
}
