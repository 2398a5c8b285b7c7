// RUN: xshardy-opt %s -p hlo-rewrite-gemms,hlo-rewrite-convolutions,hlo-fuse-epilogues,canonicalize | filecheck %s

// A dense layer, and the residual around the next one.
// CHECK-LABEL: @layers(
// CHECK-NEXT:  %0 = stablehlo.custom_call @__cublas$lt$matmul(%arg0, %arg1, %arg2) {hlo.backend_config = {{.*}}beta\22: 0{{.*}}epilogue\22: \22BIAS_RELU\22{{.*}}} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT:  %1 = stablehlo.custom_call @__cublas$lt$matmul(%0, %arg3, %arg0) {hlo.backend_config = {{.*}}beta\22: 1{{.*}}epilogue\22: \22DEFAULT\22{{.*}}} : (tensor<4x6xf32>, tensor<6x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:  return %1
func.func @layers(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %b: tensor<6xf32>, %v: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %row = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
  %rows = stablehlo.broadcast_in_dim %row, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.add %0, %rows : tensor<4x6xf32>
  %2 = stablehlo.maximum %1, %zeros : tensor<4x6xf32>
  %3 = stablehlo.dot_general %2, %v, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  %4 = stablehlo.add %x, %3 : tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// A step of gradient descent.
// CHECK-LABEL: @step(
// CHECK-NEXT:  stablehlo.custom_call @__cublas$lt$matmul(%arg1, %arg2, %arg0) {hlo.backend_config = {{.*}}alpha_real\22: -0.5{{.*}}beta\22: 1
// CHECK-NEXT:  return
func.func @step(%w: tensor<8x6xf64>, %x: tensor<4x8xf64>, %d: tensor<4x6xf64>) -> tensor<8x6xf64> {
  %rate = stablehlo.constant dense<0.5> : tensor<8x6xf64>
  %0 = stablehlo.dot_general %x, %d, contracting_dims = [0] x [0] : (tensor<4x8xf64>, tensor<4x6xf64>) -> tensor<8x6xf64>
  %1 = stablehlo.multiply %rate, %0 : tensor<8x6xf64>
  %2 = stablehlo.subtract %w, %1 : tensor<8x6xf64>
  return %2 : tensor<8x6xf64>
}

// GELU, with the power and the numbers in another order than JAX has them.
// CHECK-LABEL: @gelu(
// CHECK-NEXT:  stablehlo.custom_call @__cublas$lt$matmul(%arg0, %arg1) {{.*}}epilogue\22: \22GELU\22
// CHECK-NEXT:  return
func.func @gelu(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %three = stablehlo.constant dense<3.0> : tensor<4x6xf32>
  %c = stablehlo.constant dense<0.0356774> : tensor<4x6xf32>
  %k = stablehlo.constant dense<0.797884583> : tensor<4x6xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4x6xf32>
  %two = stablehlo.constant dense<2.0> : tensor<4x6xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.power %0, %three : tensor<4x6xf32>
  %2 = stablehlo.multiply %1, %c : tensor<4x6xf32>
  %3 = stablehlo.multiply %k, %0 : tensor<4x6xf32>
  %4 = stablehlo.add %2, %3 : tensor<4x6xf32>
  %5 = stablehlo.tanh %4 : tensor<4x6xf32>
  %6 = stablehlo.add %5, %one : tensor<4x6xf32>
  %7 = stablehlo.divide %0, %two : tensor<4x6xf32>
  %8 = stablehlo.multiply %6, %7 : tensor<4x6xf32>
  return %8 : tensor<4x6xf32>
}

// What is on the way to GELU is multiplied by another tensor, so that it is another function.
// CHECK-LABEL: @gelu_of_another_factor(
// CHECK:       stablehlo.tanh
// CHECK:       stablehlo.multiply %{{.*}}, %arg2
func.func @gelu_of_another_factor(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %three = stablehlo.constant dense<3.0> : tensor<4x6xf32>
  %c = stablehlo.constant dense<0.0356774> : tensor<4x6xf32>
  %k = stablehlo.constant dense<0.797884583> : tensor<4x6xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4x6xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.power %0, %three : tensor<4x6xf32>
  %2 = stablehlo.multiply %1, %c : tensor<4x6xf32>
  %3 = stablehlo.multiply %k, %0 : tensor<4x6xf32>
  %4 = stablehlo.add %2, %3 : tensor<4x6xf32>
  %5 = stablehlo.tanh %4 : tensor<4x6xf32>
  %6 = stablehlo.add %5, %one : tensor<4x6xf32>
  %7 = stablehlo.multiply %6, %y : tensor<4x6xf32>
  return %7 : tensor<4x6xf32>
}

// The side input of a convolution needs a bias.
// CHECK-LABEL: @residual(
// CHECK:       %[[ZEROS:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<f32>) -> tensor<6xf32>
// CHECK-NEXT:  stablehlo.custom_call @__cudnn$convBiasActivationForward(%arg0, %{{.*}}, %[[ZEROS]], %arg2) {{.*}}activation_mode\22: \22kRelu\22{{.*}}side_input_scale\22: -1
// CHECK-NEXT:  return
func.func @residual(%x: tensor<2x5x5x3xf32>, %w: tensor<3x3x3x6xf32>, %y: tensor<2x5x5x6xf32>) -> tensor<2x5x5x6xf32> {
  %zeros = stablehlo.constant dense<0.0> : tensor<2x5x5x6xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x5x5x3xf32>, tensor<3x3x3x6xf32>) -> tensor<2x5x5x6xf32>
  %1 = stablehlo.subtract %0, %y : tensor<2x5x5x6xf32>
  %2 = stablehlo.maximum %zeros, %1 : tensor<2x5x5x6xf32>
  return %2 : tensor<2x5x5x6xf32>
}

// Another reader of the product, and of what is on the way to GELU.
// CHECK-LABEL: @read_twice(
// CHECK-NEXT:  stablehlo.custom_call @__cublas$gemm(%arg0, %arg1)
// CHECK:       stablehlo.add
func.func @read_twice(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %y: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.add %0, %y : tensor<4x6xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// A number for each row is no bias, and what one operation computes and one reads is not in memory.
// CHECK-LABEL: @others(
// CHECK:       @__cublas$gemm(%arg0, %arg1)
// CHECK:       stablehlo.add
// CHECK:       stablehlo.add
func.func @others(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %b: tensor<4xf32>, %y: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %columns = stablehlo.broadcast_in_dim %b, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.add %0, %columns : tensor<4x6xf32>
  %2 = stablehlo.exponential %y : tensor<4x6xf32>
  %3 = stablehlo.add %1, %2 : tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// Products in a batch have no bias; nothing follows ReLU; narrow types are rounded before a sum.
// CHECK-LABEL: @kept(
// CHECK:       @__cublas$gemm(%arg0, %arg1)
// CHECK:       stablehlo.add
// CHECK:       @__cublas$lt$matmul(%arg3, %arg4) {{.*}}\22RELU\22
// CHECK:       stablehlo.add
// CHECK:       @__cublas$gemm(%arg5, %arg5)
// CHECK:       stablehlo.add
func.func @kept(%x: tensor<2x4x8xf32>, %w: tensor<2x8x6xf32>, %b: tensor<6xf32>, %y: tensor<4x8xf32>, %v: tensor<8x6xf32>, %h: tensor<4x4xbf16>) -> (tensor<2x4x6xf32>, tensor<4x6xf32>, tensor<4x4xbf16>) {
  %zeros = stablehlo.constant dense<0.0> : tensor<4x6xf32>
  %0 = stablehlo.dot_general %x, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x4x8xf32>, tensor<2x8x6xf32>) -> tensor<2x4x6xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<6xf32>) -> tensor<2x4x6xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x4x6xf32>
  %3 = stablehlo.dot_general %y, %v, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %4 = stablehlo.maximum %3, %zeros : tensor<4x6xf32>
  %5 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<6xf32>) -> tensor<4x6xf32>
  %6 = stablehlo.add %4, %5 : tensor<4x6xf32>
  %7 = stablehlo.dot_general %h, %h, contracting_dims = [1] x [0] : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %8 = stablehlo.add %7, %h : tensor<4x4xbf16>
  return %2, %6, %8 : tensor<2x4x6xf32>, tensor<4x6xf32>, tensor<4x4xbf16>
}

// A call with another reader than the reshape stays as it is, and is made once.
// CHECK-LABEL: @reshape_beside_another_reader(
// CHECK:       %0 = stablehlo.custom_call @__cublas$gemm(%arg0, %arg1) {{.*}}epilogue\22: \22DEFAULT\22
// CHECK-NOT:   stablehlo.custom_call
// CHECK:       stablehlo.maximum
// CHECK-NOT:   stablehlo.custom_call
// CHECK:       return
func.func @reshape_beside_another_reader(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> (tensor<24xf32>, tensor<4x6xf32>) {
  %zeros = stablehlo.constant dense<0.0> : tensor<24xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.reshape %0 : (tensor<4x6xf32>) -> tensor<24xf32>
  %2 = stablehlo.maximum %1, %zeros : tensor<24xf32>
  return %2, %0 : tensor<24xf32>, tensor<4x6xf32>
}
