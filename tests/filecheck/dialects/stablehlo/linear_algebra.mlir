// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @cholesky
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.cholesky %{{[^ ,:)]+}} : tensor<2x3x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.cholesky %{{[^ ,:)]+}}, lower = true : tensor<3x3xcomplex<f64>>
func.func @cholesky(%a: tensor<2x3x3xf32>, %b: tensor<3x3xcomplex<f64>>) {
  %0 = stablehlo.cholesky %a : tensor<2x3x3xf32>
  %1 = stablehlo.cholesky %b, lower = true : tensor<3x3xcomplex<f64>>
  func.return
}

// CHECK-LABEL: func.func @triangular_solve
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.triangular_solve"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.triangular_solve"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<2x3x3xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
func.func @triangular_solve(%a: tensor<2x3x3xf32>, %b: tensor<2x3x4xf32>, %c: tensor<2x4x3xf32>) {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %1 = "stablehlo.triangular_solve"(%a, %c) <{left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<2x3x3xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  func.return
}
