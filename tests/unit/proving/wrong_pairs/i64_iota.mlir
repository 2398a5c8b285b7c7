// The integers wrap around: 2 times 2^62 is negative.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = stablehlo.iota dim = 0 : tensor<4xi64>
    %c = stablehlo.constant dense<4611686018427387904> : tensor<4xi64>
    %c_0 = stablehlo.constant dense<0> : tensor<4xi64>
    %1 = stablehlo.multiply %0, %c : tensor<4xi64>
    %2 = stablehlo.compare LT, %1, %c_0 : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %3 = stablehlo.select %2, %arg0, %arg1 : tensor<4xi1>, tensor<4xf32>
    return %3 : tensor<4xf32>
  }
}

// -----

module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
