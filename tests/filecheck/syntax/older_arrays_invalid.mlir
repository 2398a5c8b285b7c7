// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Dense elements that are no array of the type that the operation declares are refused, as today's StableHLO does.

// CHECK: error: 'stablehlo.transpose' op dense<{{\[\[}}1, 0]]> : tensor<1x2xi64> should be of base attribute array
func.func @a_matrix(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %0 = "stablehlo.transpose"(%x) {permutation = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// -----

// CHECK: error: 'stablehlo.transpose' op dense<[1, 0]> : tensor<2xi32> should be of base attribute array
func.func @another_type(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %0 = "stablehlo.transpose"(%x) {permutation = dense<[1, 0]> : tensor<2xi32>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
