// RUN: xshardy-opt %s -p hlo-outline-regions --verify-diagnostics | filecheck %s

// CHECK: 'stablehlo.reduce': its region reads a value from outside that is not a constant
func.func @reducer(%x: tensor<4xf32>, %c: tensor<f32>) -> tensor<f32> {
  %r = stablehlo.reduce(%x init: %c) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %s = stablehlo.multiply %a, %c : tensor<f32>
    %t = stablehlo.add %s, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }
  return %r : tensor<f32>
}
