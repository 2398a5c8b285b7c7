// RUN: xshardy run --check --fuse --levels all %s | filecheck %s
// RUN: xshardy emit --fuse --explain %s 2>&1 | filecheck %s --check-prefix KERNELS

// CHECK:       main {{.*}} ptx {{.*}} agrees
// CHECK:       3 steps (1 kernel, 2 library), each compared with the reference

// KERNELS:     fused_divide: the row_wise emitter

func.func @main(%x: tensor<8x32xf32>, %w: tensor<32x16xf32>, %b: tensor<16xf32>, %v: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<16xf32>) -> tensor<8x16xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x16xf32>
  %3 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
  %4 = stablehlo.maximum %2, %3 : tensor<8x16xf32>
  %5 = stablehlo.dot_general %4, %v, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %6 = stablehlo.add %5, %x : tensor<8x32xf32>
  %7 = stablehlo.reduce(%6 init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
  %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<8xf32>) -> tensor<8x32xf32>
  %9 = stablehlo.subtract %6, %8 : tensor<8x32xf32>
  %10 = stablehlo.exponential %9 : tensor<8x32xf32>
  %11 = stablehlo.reduce(%10 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
  %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<8xf32>) -> tensor<8x32xf32>
  %13 = stablehlo.divide %10, %12 : tensor<8x32xf32>
  return %13 : tensor<8x32xf32>
}
