// RUN: xshardy-opt %s -p hlo-prepare-fusion | filecheck %s
// RUN: xshardy-opt %s -p hlo-fusion-pipeline | filecheck %s --check-prefix FUSED

// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %[[C:.*]] = call @doubled(%arg0)
// CHECK-NEXT:    %[[E:.*]] = chlo.erf %[[C]]
// CHECK:         %[[S:.*]]:2 = "stablehlo.sort"(%[[E]], %{{.*}})
// CHECK:         stablehlo.slice %[[S]]#0 [0:3]

// FUSED-LABEL: func.func @main(
// FUSED-NEXT:    %[[S:.*]]:2 = hlo.fusion input @fused_sort(%arg0)
// FUSED-NEXT:    hlo.fusion loop @fused_slice(%[[S]]#0)
// FUSED-NOT:   @doubled
func.func @main(%x: tensor<8xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %0 = stablehlo.composite "my.doubled" %x {decomposition = @doubled} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = chlo.erf %0 : tensor<8xf32> -> tensor<8xf32>
  %2, %3 = chlo.top_k(%1, k = 3) : tensor<8xf32> -> (tensor<3xf32>, tensor<3xi32>)
  return %2, %3 : tensor<3xf32>, tensor<3xi32>
}
func.func private @doubled(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %x, %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Kernels compute most functions directly; others become arithmetic, in f64.
// CHECK-LABEL: func.func private @functions(
// CHECK:         stablehlo.convert %arg0 : (tensor<4xf32>) -> tensor<4xf64>
// CHECK-NOT:     chlo.zeta
// CHECK:         chlo.digamma
// CHECK:         stablehlo.real %arg1
// CHECK-NOT:     chlo.sinh
// CHECK:         stablehlo.complex
// CHECK-NEXT:    chlo.tan %{{.*}} : tensor<4xcomplex<f32>>
func.func private @functions(%x: tensor<4xf32>, %c: tensor<4xcomplex<f32>>) -> (tensor<4xf32>, tensor<4xcomplex<f32>>) {
  %0 = chlo.zeta %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.digamma %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = chlo.sinh %c : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %3 = chlo.tan %2 : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  return %1, %3 : tensor<4xf32>, tensor<4xcomplex<f32>>
}
