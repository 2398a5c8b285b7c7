// An integer above those of 64 bits with a sign is not below 1.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %c = stablehlo.constant dense<18446744073709551615> : tensor<4xui64>
    %c_0 = stablehlo.constant dense<1> : tensor<4xui64>
    %0 = stablehlo.compare LT, %c, %c_0 : (tensor<4xui64>, tensor<4xui64>) -> tensor<4xi1>
    %1 = stablehlo.select %0, %arg0, %arg1 : tensor<4xi1>, tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}

// -----

module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
