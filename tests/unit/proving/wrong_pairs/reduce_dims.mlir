// Another dimension is reduced.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<3x3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) -> (tensor<3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3x3x3xf32>, tensor<f32>) -> tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
}

// -----

module {
  func.func @main(%arg0: tensor<3x3x3xf32>) -> tensor<3x3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x3x3xf32>, tensor<f32>) -> tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
}
