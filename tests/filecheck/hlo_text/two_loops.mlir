// RUN: xshardy-opt %s -t hlo | filecheck %s

// Each loop has a tuple of its own, with a name of its own.
// CHECK-LABEL: ENTRY %main
// CHECK:         %tuple = (f32[], f32[]) tuple(%x, %y)
// CHECK:         %tuple.1 = (f32[], f32[]) tuple(
func.func @main(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
  %0:2 = stablehlo.while(%a = %x, %b = %y) : tensor<f32>, tensor<f32> cond {
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %b, %a : tensor<f32>, tensor<f32>
  }
  %1:2 = stablehlo.while(%a = %0#1, %b = %0#0) : tensor<f32>, tensor<f32> cond {
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %b, %a : tensor<f32>, tensor<f32>
  }
  return %1#0 : tensor<f32>
}
