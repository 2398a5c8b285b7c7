// So is a product of nothing.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4x0xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg1: tensor<0x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x0xf32>, tensor<0x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

module {
  func.func @main(%arg0: tensor<4x0xf32>, %arg1: tensor<0x4xf32>) -> tensor<4x4xf32> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x4xf32>
    return %cst : tensor<4x4xf32>
  }
}
