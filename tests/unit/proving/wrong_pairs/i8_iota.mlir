// Positions above 127 wrap around.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<300xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<300xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<300xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = stablehlo.iota dim = 0 : tensor<300xi8>
    %c = stablehlo.constant dense<0> : tensor<300xi8>
    %1 = stablehlo.compare LT, %0, %c : (tensor<300xi8>, tensor<300xi8>) -> tensor<300xi1>
    %2 = stablehlo.select %1, %arg0, %arg1 : tensor<300xi1>, tensor<300xf32>
    return %2 : tensor<300xf32>
  }
}

// -----

module {
  func.func @main(%arg0: tensor<300xf32>, %arg1: tensor<300xf32>) -> tensor<300xf32> {
    return %arg1 : tensor<300xf32>
  }
}
