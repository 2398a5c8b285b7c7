// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @after_all
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.after_all %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : !stablehlo.token
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.after_all : !stablehlo.token
func.func @after_all(%t: !stablehlo.token) {
  %0 = stablehlo.after_all %t, %t : !stablehlo.token
  %1 = stablehlo.after_all : !stablehlo.token
  func.return
}

// CHECK-LABEL: func.func @optimization_barrier
// CHECK-NEXT:    %{{[^ ,:)]+}}:2 = stablehlo.optimization_barrier %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<f32>, tensor<2xi32>
func.func @optimization_barrier(%a: tensor<f32>, %b: tensor<2xi32>) {
  %0:2 = stablehlo.optimization_barrier %a, %b : tensor<f32>, tensor<2xi32>
  func.return
}
