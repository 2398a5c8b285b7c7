// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @two_inputs
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = "stablehlo.sort"(%{{[^ ,:)]+}}, %{{[^ ,:)]+}}) <{dimension = 1 : i64, is_stable = true}> ({
// CHECK-NEXT:    ^bb0(%{{[^ ,:)]+}}: tensor<f32>, %{{[^ ,:)]+}}: tensor<f32>, %{{[^ ,:)]+}}: tensor<i32>, %{{[^ ,:)]+}}: tensor<i32>):
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.compare LT, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT:    stablehlo.return %{{[^ ,:)]+}} : tensor<i1>
// CHECK-NEXT:    }) {jax.note} : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
func.func @two_inputs(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
    %1 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {jax.note} : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return
}

// CHECK-LABEL: func.func @negative_dimension
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.sort"(%{{[^ ,:)]+}}) <{dimension = -2 : i64}> ({
// CHECK-NEXT:    ^bb0(%{{[^ ,:)]+}}: tensor<ui8>, %{{[^ ,:)]+}}: tensor<ui8>):
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.compare GT, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
// CHECK-NEXT:    stablehlo.return %{{[^ ,:)]+}} : tensor<i1>
// CHECK-NEXT:    }) : (tensor<?x3xui8>) -> tensor<?x3xui8>
func.func @negative_dimension(%a: tensor<?x3xui8>) {
  %0 = "stablehlo.sort"(%a) <{dimension = -2 : i64}> ({
  ^bb0(%x: tensor<ui8>, %y: tensor<ui8>):
    %1 = stablehlo.compare GT, %x, %y : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<?x3xui8>) -> tensor<?x3xui8>
  return
}

// CHECK-LABEL: func.func @defaults
// CHECK-NEXT:    %{{[^ ,:)]+}} = "stablehlo.sort"(%{{[^ ,:)]+}}) ({
// CHECK-NEXT:    ^bb0(%{{[^ ,:)]+}}: tensor<complex<f32>>, %{{[^ ,:)]+}}: tensor<complex<f32>>):
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.compare NE, %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<i1>
// CHECK-NEXT:    stablehlo.return %{{[^ ,:)]+}} : tensor<i1>
// CHECK-NEXT:    }) : (tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
func.func @defaults(%a: tensor<3xcomplex<f32>>) {
  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<complex<f32>>, %y: tensor<complex<f32>>):
    %1 = stablehlo.compare NE, %x, %y : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  return
}
