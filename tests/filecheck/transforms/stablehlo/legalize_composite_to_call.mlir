// RUN: xshardy-opt %s -p stablehlo-legalize-composite-to-call | filecheck %s

// CHECK-LABEL: func.func @two_results(
// CHECK-NEXT:  %0:2 = call @pair(%arg0) {kept} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT:  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
func.func @two_results(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = stablehlo.composite "vendor.pair" %x {composite_attributes = {n = 1 : i64}, decomposition = @pair, kept} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
func.func private @pair(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}
