// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @batch_norm_training
// CHECK-NEXT:    %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} = "stablehlo.batch_norm_training"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
// CHECK-NEXT:    %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} = "stablehlo.batch_norm_training"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x?xbf16>, tensor<3xbf16>, tensor<3xbf16>) -> (tensor<2x?xbf16>, tensor<?xbf16>, tensor<3xbf16>)
func.func @batch_norm_training(%a: tensor<2x3xf32>, %f: tensor<3xf32>, %b: tensor<2x?xbf16>, %g: tensor<3xbf16>) {
  %0:3 = "stablehlo.batch_norm_training"(%a, %f, %f) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  %1:3 = "stablehlo.batch_norm_training"(%b, %g, %g) {epsilon = 1.000000e-03 : f32, feature_index = 1 : i64} : (tensor<2x?xbf16>, tensor<3xbf16>, tensor<3xbf16>) -> (tensor<2x?xbf16>, tensor<?xbf16>, tensor<3xbf16>)
  func.return
}

// CHECK-LABEL: func.func @batch_norm_inference
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.batch_norm_inference"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
func.func @batch_norm_inference(%a: tensor<2x3xf64>, %f: tensor<3xf64>) {
  %0 = "stablehlo.batch_norm_inference"(%a, %f, %f, %f, %f) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  func.return
}

// CHECK-LABEL: func.func @batch_norm_grad
// CHECK-NEXT:    %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} = "stablehlo.batch_norm_grad"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
func.func @batch_norm_grad(%a: tensor<2x3xf32>, %f: tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%a, %f, %f, %f, %a) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  func.return
}
