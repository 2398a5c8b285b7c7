// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @tuple
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.tuple %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tuple<tensor<f32>, tensor<2xi32>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.tuple %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tuple<tuple<tensor<f32>, tensor<2xi32>>, tensor<f32>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.get_tuple_element %{{[^ ,:)]+}}[0] : (tuple<tuple<tensor<f32>, tensor<2xi32>>, tensor<f32>>) -> tuple<tensor<f32>, tensor<2xi32>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.tuple : tuple<>
func.func @tuple(%a: tensor<f32>, %b: tensor<2xi32>) {
  %0 = stablehlo.tuple %a, %b : tuple<tensor<f32>, tensor<2xi32>>
  %1 = stablehlo.tuple %0, %a : tuple<tuple<tensor<f32>, tensor<2xi32>>, tensor<f32>>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tuple<tensor<f32>, tensor<2xi32>>, tensor<f32>>) -> tuple<tensor<f32>, tensor<2xi32>>
  %3 = stablehlo.tuple : tuple<>
  func.return
}
