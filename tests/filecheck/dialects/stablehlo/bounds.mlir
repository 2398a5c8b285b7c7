// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @bounds
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.add %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<?x4xf32, #stablehlo.bounds<3, ?>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.transpose %{{[^ ,:)]+}}, dims = [1, 0] : (tensor<?x4xf32, #stablehlo.bounds<3, ?>>) -> tensor<4x?xf32, #stablehlo.bounds<?, 3>>
func.func @bounds(%a: tensor<?x4xf32, #stablehlo.bounds<3, ?>>, %b: tensor<?x4xf32, #stablehlo.type_extensions<bounds = [3, ?]>>) {
  %0 = stablehlo.add %a, %b : tensor<?x4xf32, #stablehlo.bounds<3, ?>>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<?x4xf32, #stablehlo.bounds<3, ?>>) -> tensor<4x?xf32, #stablehlo.bounds<?, 3>>
  func.return
}
