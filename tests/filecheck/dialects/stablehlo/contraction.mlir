// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @dot_general
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dot_general %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.dot_general %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, contracting_dims = [2, 0] x [1, 0], precision = [HIGHEST, DEFAULT] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<3x5xf32>
func.func @dot_general(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [2, 0] x [1, 0], precision = [HIGHEST, DEFAULT] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<3x5xf32>
  func.return
}
