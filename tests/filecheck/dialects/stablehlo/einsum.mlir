// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @dot
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dot %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dot %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, precision = [HIGH, DEFAULT] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dot %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<3xf32>, tensor<3xf32>) -> tensor<f64>
func.func @dot(%m: tensor<2x3xf32>, %n: tensor<3x4xf32>, %v: tensor<3xf32>) {
  %0 = stablehlo.dot %m, %n : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.dot %m, %v, precision = [HIGH, DEFAULT] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  %2 = stablehlo.dot %v, %v : (tensor<3xf32>, tensor<3xf32>) -> tensor<f64>
  func.return
}

// CHECK-LABEL: func.func @einsum
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.einsum %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, config = "ij,jk->ik" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.unary_einsum %{{[^ ,:)]+}}, config = "ij->i" : (tensor<2x3xf32>) -> tensor<2xf32>
func.func @einsum(%m: tensor<2x3xf32>, %n: tensor<3x4xf32>) {
  %0 = stablehlo.einsum %m, %n, config = "ij,jk->ik" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.unary_einsum %m, config = "ij->i" : (tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}
