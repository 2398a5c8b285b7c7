// RUN: xshardy-opt %s -p hlo-fuse | filecheck %s

// Kernels that do not write what they read, because they read it elsewhere than at the place of their result.

// CHECK-LABEL: func.func @read_there_and_elsewhere(
// CHECK-NEXT:    %[[X:.*]] = hlo.fusion loop @{{.*}}(%arg0)
// CHECK-NEXT:    hlo.fusion loop @{{.*}}(%[[X]]) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    return
func.func @read_there_and_elsewhere(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.exponential %x : tensor<8xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  return %0, %2 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @another_layout(
// CHECK-NEXT:    %[[X:.*]] = hlo.fusion loop @{{.*}}(%arg0)
// CHECK-NEXT:    hlo.fusion loop @{{.*}}(%[[X]]) : (tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:    return
func.func @another_layout(%x: tensor<8x4xf32> {hlo.layout = array<i64: 0, 1>})
    -> (tensor<8x4xf32> {hlo.layout = array<i64: 0, 1>}, tensor<8x4xf32>) {
  %0 = stablehlo.exponential %x {hlo.layout = array<i64: 0, 1>} : tensor<8x4xf32>
  %1 = hlo.copy %0 : tensor<8x4xf32>
  %2 = stablehlo.negate %1 : tensor<8x4xf32>
  return %0, %2 : tensor<8x4xf32>, tensor<8x4xf32>
}

// CHECK-LABEL: func.func @a_part(
// CHECK-NEXT:    %[[X:.*]] = hlo.fusion loop @{{.*}}(%arg0)
// CHECK-NEXT:    hlo.fusion loop @{{.*}}(%[[X]]) : (tensor<8xf32>) -> tensor<4xf32>
// CHECK-NEXT:    return
func.func @a_part(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %0 = stablehlo.exponential %x : tensor<8xf32>
  %1 = stablehlo.slice %0 [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  %2 = stablehlo.negate %1 : tensor<4xf32>
  return %0, %2 : tensor<8xf32>, tensor<4xf32>
}

// A kernel of rows writes what it reads at the place of its result, as one without a reduction does.
// CHECK-LABEL: func.func @with_rows(
// CHECK-NEXT:    %[[R:.*]]:2 = hlo.fusion custom @{{.*}}(%arg0) : (tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>)
// CHECK-NEXT:    return %[[R]]#1, %[[R]]#0
func.func @with_rows(%x: tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : tensor<8x32xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<8xf32>) -> tensor<8x32xf32>
  %3 = stablehlo.divide %0, %2 : tensor<8x32xf32>
  return %0, %3 : tensor<8x32xf32>, tensor<8x32xf32>
}

// A function that is called twice is fused once.
// CHECK-LABEL: func.func private @called(
// CHECK-NEXT:    %[[Y:.*]] = hlo.fusion loop @{{.*}}(%arg0)
// CHECK-NEXT:    return %[[Y]]
func.func private @called(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @called(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @called(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

func.func @calls_again(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @called(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK:       func.func private @fused_negate_2(
// CHECK-NOT:   @fused_negate_3
