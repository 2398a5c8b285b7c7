// The initial value is an element that the whole program does not have.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<3xf32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.slice %x [0:3] : (tensor<4xf32>) -> tensor<3xf32>
    %1 = stablehlo.exponential %0 : tensor<3xf32>
    %2 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %1, %2 : tensor<3xf32>, tensor<f32>
  }
}

// -----

module {
  func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<3xf32>, tensor<f32>) {
    %0 = stablehlo.exponential %x : tensor<4xf32>
    %1 = stablehlo.slice %0 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
    %2 = stablehlo.slice %0 [3:4] : (tensor<4xf32>) -> tensor<1xf32>
    %3 = stablehlo.reshape %2 : (tensor<1xf32>) -> tensor<f32>
    %4 = stablehlo.reduce(%y init: %3) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %1, %4 : tensor<3xf32>, tensor<f32>
  }
}
