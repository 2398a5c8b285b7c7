// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @types
// CHECK-NEXT:    %{{[^ ,:)]+}}:3 = stablehlo.custom_call @f(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) : (tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>, tensor<2x!quant.uniform<u4<1:14>:bf16, 2.500000e-01:3>>, tensor<?x2x!quant.uniform<i8:f32:1, {5.000000e-01:-3,2.500000e-01}>>) -> (tensor<2x!quant.uniform<u8:f32, 5.000000e-01>>, tensor<!quant.uniform<i32:f64, 1.000000e+00>>, tensor<!quant.uniform<i2:f16, 1.000000e+00>>)
func.func @types(%a: tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>, %b: tensor<2x!quant.uniform<u4<1:14>:bf16, 2.500000e-01:3>>, %c: tensor<?x2x!quant.uniform<i8<-128:127>:f32:1, {0.5:-3, 0.25}>>) {
  %0:3 = stablehlo.custom_call @f(%a, %b, %c) : (tensor<2x!quant.uniform<i8:f32, 0.5:0>>, tensor<2x!quant.uniform<u4<1:14>:bf16, 0.25:3>>, tensor<?x2x!quant.uniform<i8:f32:1, {0.5:-3,0.25:0}>>) -> (tensor<2x!quant.uniform<ui8<0:255>:f32, 0.5>>, tensor<!quant.uniform<i32:f64, 1.0>>, tensor<!quant.uniform<i2:f16, 1.0>>)
  func.return
}

// CHECK-LABEL: func.func @uniform_quantize
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.uniform_quantize %{{[^ ,:)]+}} : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01:1>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.uniform_quantize %{{[^ ,:)]+}} : (tensor<2x2x!quant.uniform<i8:f32, 5.000000e-01:1>>) -> tensor<2x2x!quant.uniform<u8:f32:0, {5.000000e-01:1,2.500000e-01}>>
func.func @uniform_quantize(%a: tensor<2x2xf32>, %b: tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>) {
  %0 = stablehlo.uniform_quantize %a : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>
  %1 = stablehlo.uniform_quantize %b : (tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x2x!quant.uniform<u8:f32:0, {0.5:1, 0.25}>>
  func.return
}

// CHECK-LABEL: func.func @uniform_dequantize
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.uniform_dequantize %{{[^ ,:)]+}} : (tensor<2x?x!quant.uniform<i8:f32:0, {5.000000e-01:1,2.500000e-01}>>) -> tensor<2x?xf32>
func.func @uniform_dequantize(%a: tensor<2x?x!quant.uniform<i8:f32:0, {0.5:1, 0.25}>>) {
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x?x!quant.uniform<i8:f32:0, {0.5:1, 0.25}>>) -> tensor<2x?xf32>
  func.return
}

// CHECK-LABEL: func.func @scales_of_results_may_differ
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x!quant.uniform<i8:f32, 5.000000e-01:1>>, tensor<2x!quant.uniform<i8:f32, 2.500000e-01>>) -> tensor<2x!quant.uniform<i8:f32, 1.000000e+00>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.multiply %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x!quant.uniform<i8:f32, 5.000000e-01:1>>, tensor<2x!quant.uniform<i8:f32, 2.500000e-01>>) -> tensor<2x!quant.uniform<i8:f32, 1.000000e+00>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.tanh %{{[^ ,:)]+}} : tensor<2x!quant.uniform<i8:f32, 5.000000e-01:1>>
func.func @scales_of_results_may_differ(%a: tensor<2x!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<2x!quant.uniform<i8:f32, 0.25>>) {
  %0 = stablehlo.add %a, %b : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x!quant.uniform<i8:f32, 0.25>>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  %1 = stablehlo.multiply %a, %b : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x!quant.uniform<i8:f32, 0.25>>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  %2 = stablehlo.tanh %a : tensor<2x!quant.uniform<i8:f32, 0.5:1>>
  func.return
}

// CHECK-LABEL: func.func @axis_moves_along
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.transpose %{{[^ ,:)]+}}, dims = [1, 2, 0] : (tensor<1x2x3x!quant.uniform<i8:f32:1, {5.000000e-01:1,2.500000e-01}>>) -> tensor<2x3x1x!quant.uniform<i8:f32:0, {5.000000e-01:1,2.500000e-01}>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.reshape %{{[^ ,:)]+}} : (tensor<1x2x3x!quant.uniform<i8:f32:1, {5.000000e-01:1,2.500000e-01}>>) -> tensor<2x3x!quant.uniform<i8:f32:0, {5.000000e-01:1,2.500000e-01}>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.broadcast_in_dim %{{[^ ,:)]+}}, dims = [0, 2, 3] : (tensor<1x2x3x!quant.uniform<i8:f32:1, {5.000000e-01:1,2.500000e-01}>>) -> tensor<4x5x2x3x!quant.uniform<i8:f32:2, {5.000000e-01:1,2.500000e-01}>>
func.func @axis_moves_along(%a: tensor<1x2x3x!quant.uniform<i8:f32:1, {0.5:1, 0.25}>>) {
  %0 = stablehlo.transpose %a, dims = [1, 2, 0] : (tensor<1x2x3x!quant.uniform<i8:f32:1, {0.5:1, 0.25}>>) -> tensor<2x3x1x!quant.uniform<i8:f32:0, {0.5:1, 0.25}>>
  %1 = stablehlo.reshape %a : (tensor<1x2x3x!quant.uniform<i8:f32:1, {0.5:1, 0.25}>>) -> tensor<2x3x!quant.uniform<i8:f32:0, {0.5:1, 0.25}>>
  %2 = stablehlo.broadcast_in_dim %a, dims = [0, 2, 3] : (tensor<1x2x3x!quant.uniform<i8:f32:1, {0.5:1, 0.25}>>) -> tensor<4x5x2x3x!quant.uniform<i8:f32:2, {0.5:1, 0.25}>>
  func.return
}

// CHECK-LABEL: func.func @dot_general
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dot_general %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2x!quant.uniform<i8:f32:1, {5.000000e-01,2.500000e-01}>>) -> tensor<2x2xf32>
func.func @dot_general(%a: tensor<2x3xf32>, %w: tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<2x2xf32>
  func.return
}

// CHECK-LABEL: func.func @constants
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi8>}> {mhlo.x = 1 : i32} : () -> tensor<2x!quant.uniform<i8:f32, 5.000000e-01:1>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.constant() <{value = dense<3> : tensor<i4>}> : () -> tensor<!quant.uniform<u4:f32, 5.000000e-01:1>>
func.func @constants() {
  %0 = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi8>}> {mhlo.x = 1 : i32} : () -> tensor<2x!quant.uniform<i8:f32, 0.5:1>>
  %1 = stablehlo.constant() {value = dense<3> : tensor<i4>} : () -> tensor<!quant.uniform<u4:f32, 0.5:1>>
  func.return
}
