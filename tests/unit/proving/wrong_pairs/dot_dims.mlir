// Contracting dimensions are paired in another order.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<3x3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg1: tensor<3x3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) -> (tensor<3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0, 1] x [0, 1] : (tensor<3x3x3xf32>, tensor<3x3x3xf32>) -> tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
}

// -----

module {
  func.func @main(%arg0: tensor<3x3x3xf32>, %arg1: tensor<3x3x3xf32>) -> tensor<3x3xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0, 1] x [1, 0] : (tensor<3x3x3xf32>, tensor<3x3x3xf32>) -> tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
}
