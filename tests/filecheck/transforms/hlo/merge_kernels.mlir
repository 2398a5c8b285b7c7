// RUN: xshardy-opt %s -p hlo-fuse | filecheck %s

// The sums of rows are results too, and what two results read is computed once.
// CHECK-LABEL: func.func @rows_and_their_sums(
// CHECK-NEXT:    %[[R:.*]]:3 = hlo.fusion custom @fused_divide(%arg0) : (tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8xf32>, tensor<8x64xf32>)
// CHECK-NEXT:    return %[[R]]#0, %[[R]]#2, %[[R]]#1
func.func @rows_and_their_sums(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : tensor<8x64xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<8xf32>) -> tensor<8x64xf32>
  %3 = stablehlo.divide %0, %2 : tensor<8x64xf32>
  return %3, %0, %1 : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8xf32>
}

// Siblings: two sums of columns read the same tensor.
// CHECK-LABEL: func.func @siblings(
// CHECK-NEXT:    %[[R:.*]]:2 = hlo.fusion input @fused_reduce(%arg0, %arg1) : (tensor<64x64xf32>, tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
// CHECK-NEXT:    return
func.func @siblings(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %y : tensor<64x64xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  return %1, %2 : tensor<64xf32>, tensor<64xf32>
}

// Sums of rows and sums of columns are no results of one kernel.
// CHECK-LABEL: func.func @rows_and_columns(
// CHECK-NEXT:    hlo.fusion input {{.*}} -> tensor<64xf32>
// CHECK-NEXT:    hlo.fusion input {{.*}} -> tensor<64xf32>
// CHECK-NEXT:    return
func.func @rows_and_columns(%x: tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  return %1, %2 : tensor<64xf32>, tensor<64xf32>
}

// A vector that is repeated is no reason to become one.
// CHECK-LABEL: func.func @common_vector(
// CHECK-NEXT:    hlo.fusion loop {{.*}} -> tensor<8x64xf32>
// CHECK-NEXT:    hlo.fusion loop {{.*}} -> tensor<8x64xf32>
// CHECK-NEXT:    return
func.func @common_vector(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>, %b: tensor<64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<64xf32>) -> tensor<8x64xf32>
  %1 = stablehlo.add %x, %0 : tensor<8x64xf32>
  %2 = stablehlo.multiply %y, %0 : tensor<8x64xf32>
  return %1, %2 : tensor<8x64xf32>, tensor<8x64xf32>
}

// The sum of another row is needed: it is in memory before.
// CHECK-LABEL: func.func @other_row(
// CHECK-NEXT:    %[[R:.*]]:2 = hlo.fusion {{.*}}(%arg0) : (tensor<32x32xf32>) -> (tensor<32xf32>, tensor<32x32xf32>)
// CHECK-NEXT:    hlo.fusion loop {{.*}}(%[[R]]#{{[01]}}, %[[R]]#{{[01]}})
// CHECK-NEXT:    return
func.func @other_row(%x: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : tensor<32x32xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<32x32xf32>, tensor<f32>) -> tensor<32xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<32xf32>) -> tensor<32x32xf32>
  %3 = stablehlo.divide %0, %2 : tensor<32x32xf32>
  return %3, %0 : tensor<32x32xf32>, tensor<32x32xf32>
}

// Another step is between them.
// CHECK-LABEL: func.func @step_between(
// CHECK-NEXT:    %[[A:.*]] = hlo.fusion loop {{.*}}(%arg0)
// CHECK-NEXT:    %[[C:.*]] = stablehlo.cholesky %[[A]]
// CHECK-NEXT:    hlo.fusion loop {{.*}}(%arg0, %[[C]])
// CHECK-NEXT:    return
func.func @step_between(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.negate %x : tensor<8x8xf32>
  %1 = "stablehlo.cholesky"(%0) <{lower = true}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.add %x, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// The kernel runs before the first step that reads a result of it.
// CHECK-LABEL: func.func @earlier_reader(
// CHECK-NEXT:    %[[R:.*]]:2 = hlo.fusion loop {{.*}}(%arg0)
// CHECK-NEXT:    %[[C:.*]] = stablehlo.cholesky %[[R]]#{{[01]}}
// CHECK-NEXT:    return %[[C]], %[[R]]#{{[01]}}
func.func @earlier_reader(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.exponential %x : tensor<8x8xf32>
  %1 = "stablehlo.cholesky"(%0) <{lower = true}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.tanh %x : tensor<8x8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}

// A view of a result stays, and kernels compute what it is a view of.
// CHECK-LABEL: func.func @view_of_a_result(
// CHECK-NEXT:    %[[R:.*]]:2 = hlo.fusion custom {{.*}}(%arg0) : (tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8xf32>)
// CHECK-NEXT:    %[[V:.*]] = stablehlo.reshape %[[R]]#1 : (tensor<8xf32>) -> tensor<8x1xf32>
// CHECK-NEXT:    return %[[R]]#0, %[[V]]
func.func @view_of_a_result(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x1xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.reshape %1 : (tensor<8xf32>) -> tensor<8x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x64xf32>
  %4 = stablehlo.divide %x, %3 : tensor<8x64xf32>
  return %4, %2 : tensor<8x64xf32>, tensor<8x1xf32>
}
