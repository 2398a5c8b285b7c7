// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @compare
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.compare EQ, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.compare LT, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.compare GE, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.compare NE, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.compare GT, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, UNSIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.compare LE, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
func.func @compare(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  %0 = stablehlo.compare EQ, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %1 = stablehlo.compare LT, %a, %a, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %2 = stablehlo.compare GE, %a, %a, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %3 = stablehlo.compare NE, %b, %b, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %4 = stablehlo.compare GT, %b, %b, UNSIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %5 = stablehlo.compare LE, %b, %b : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  func.return
}

// CHECK-LABEL: func.func @select
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.select %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xi1>, tensor<2xf32>
func.func @select(%p: tensor<2xi1>, %a: tensor<2xf32>) {
  %0 = stablehlo.select %p, %a, %a : tensor<2xi1>, tensor<2xf32>
  func.return
}

// CHECK-LABEL: func.func @select_by_a_scalar
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.select %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<i1>, tensor<2xf32>
func.func @select_by_a_scalar(%p: tensor<i1>, %a: tensor<2xf32>) {
  %0 = stablehlo.select %p, %a, %a : tensor<i1>, tensor<2xf32>
  func.return
}

// CHECK-LABEL: func.func @select_between_shapes
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.select %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<i1>, tensor<?xf32>, tensor<2xf32>) -> tensor<2xf32>
func.func @select_between_shapes(%p: tensor<i1>, %a: tensor<?xf32>, %b: tensor<2xf32>) {
  %0 = stablehlo.select %p, %a, %b : (tensor<i1>, tensor<?xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// CHECK-LABEL: func.func @clamp
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.clamp %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xf32>
func.func @clamp(%a: tensor<2xf32>) {
  %0 = stablehlo.clamp %a, %a, %a : tensor<2xf32>
  func.return
}

// CHECK-LABEL: func.func @clamp_to_scalars
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.clamp %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
func.func @clamp_to_scalars(%s: tensor<f32>, %a: tensor<2xf32>) {
  %0 = stablehlo.clamp %s, %a, %s : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  func.return
}
