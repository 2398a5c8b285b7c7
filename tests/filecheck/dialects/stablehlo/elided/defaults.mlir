// RUN: xshardy-opt %s | filecheck %s
// Properties with the value that they have by default go without saying, but for the generic form.
// RUN: xshardy-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// GENERIC: has_side_effect = false
// CHECK-LABEL: func.func @custom_call
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.custom_call @foo(%{{[^ ,:)]+}}) : (tensor<4xf32>) -> tensor<4xf32>
func.func @custom_call(%a: tensor<4xf32>) {
  %0 = "stablehlo.custom_call"(%a) <{api_version = 1 : i32, call_target_name = "foo", called_computations = [], has_side_effect = false, output_operand_aliases = []}> : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// CHECK-LABEL: func.func @cholesky
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.cholesky %{{[^ ,:)]+}} : tensor<2x3x3xf32>
// GENERIC: "stablehlo.cholesky"(%{{.*}}) <{lower = false}>
func.func @cholesky(%a: tensor<2x3x3xf32>) {
  %2 = "stablehlo.cholesky"(%a) <{lower = false}> : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  func.return
}
