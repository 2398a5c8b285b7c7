// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// jaxlib's MLIR has no quant dialect.

// CHECK-LABEL: func.func @all_gather_quantized
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.all_gather"(%{{[^ ,:)]+}}) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x!quant.uniform<i8:f32, 1.000000e-01:-30>>) -> tensor<4x!quant.uniform<i8:f32, 1.000000e-01:-30>>
func.func @all_gather_quantized(%a: tensor<2x!quant.uniform<i8:f32, 1.000000e-01:-30>>) {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x!quant.uniform<i8:f32, 1.000000e-01:-30>>) -> tensor<4x!quant.uniform<i8:f32, 1.000000e-01:-30>>
  func.return
}

// CHECK-LABEL: func.func @outfeed_quantized
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.outfeed"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{outfeed_config = ""}> : (tensor<2x!quant.uniform<i8:f32:0, {1.000000e-01,2.000000e-01}>>, !stablehlo.token) -> !stablehlo.token
func.func @outfeed_quantized(%a: tensor<2x!quant.uniform<i8:f32:0, {1.000000e-01,2.000000e-01}>>, %t: !stablehlo.token) {
  %0 = "stablehlo.outfeed"(%a, %t) <{outfeed_config = ""}> : (tensor<2x!quant.uniform<i8:f32:0, {1.000000e-01,2.000000e-01}>>, !stablehlo.token) -> !stablehlo.token
  func.return
}

// CHECK-LABEL: func.func @dynamic_reshape_quantized
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dynamic_reshape %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x2x!quant.uniform<i8:f32:1, {1.000000e-01,2.000000e-01}>>, tensor<3xi64>) -> tensor<2x2x1x!quant.uniform<i8:f32:1, {1.000000e-01,2.000000e-01}>>
func.func @dynamic_reshape_quantized(%a: tensor<2x2x!quant.uniform<i8:f32:1, {1.000000e-01,2.000000e-01}>>, %s: tensor<3xi64>) {
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x2x!quant.uniform<i8:f32:1, {1.000000e-01,2.000000e-01}>>, tensor<3xi64>) -> tensor<2x2x1x!quant.uniform<i8:f32:1, {1.000000e-01,2.000000e-01}>>
  func.return
}

// CHECK-LABEL: func.func @dynamic_broadcast_in_dim_quantized
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dynamic_broadcast_in_dim %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, dims = [1, 0] : (tensor<1x2x!quant.uniform<i8:f32:1, {1.000000e-01,2.000000e-01}>>, tensor<2xi64>) -> tensor<2x?x!quant.uniform<i8:f32:0, {1.000000e-01,2.000000e-01}>>
func.func @dynamic_broadcast_in_dim_quantized(%a: tensor<1x2x!quant.uniform<i8:f32:1, {1.000000e-01,2.000000e-01}>>, %s: tensor<2xi64>) {
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1, 0] : (tensor<1x2x!quant.uniform<i8:f32:1, {1.000000e-01,2.000000e-01}>>, tensor<2xi64>) -> tensor<2x?x!quant.uniform<i8:f32:0, {1.000000e-01,2.000000e-01}>>
  func.return
}

// The weights have a scale each, and the other operand one for all.
// CHECK-LABEL: func.func @add_of_two_quantizations
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<?x2x!quant.uniform<i8:f32:1, {1.000000e-01,2.000000e-01}>>, tensor<?x2x!quant.uniform<i8:f32, 5.000000e-01>>) -> tensor<?x2x!quant.uniform<i8:f32:1, {1.000000e-01,3.000000e-01}>>
func.func @add_of_two_quantizations(%a: tensor<?x2x!quant.uniform<i8:f32:1, {0.1,0.2}>>, %b: tensor<?x2x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.add %a, %b : (tensor<?x2x!quant.uniform<i8:f32:1, {0.1,0.2}>>, tensor<?x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<?x2x!quant.uniform<i8:f32:1, {0.1,0.3}>>
  func.return
}
