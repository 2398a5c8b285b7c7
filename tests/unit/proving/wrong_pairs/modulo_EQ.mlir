// `i % 4 == 2` holds twice in eight elements; the program of a device has it once.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    %c = stablehlo.constant dense<4> : tensor<8xi32>
    %c_0 = stablehlo.constant dense<2> : tensor<8xi32>
    %1 = stablehlo.remainder %0, %c : tensor<8xi32>
    %2 = stablehlo.compare EQ, %1, %c_0 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %3 = stablehlo.select %2, %arg0, %arg1 : tensor<8xi1>, tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}

// -----

module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    %c = stablehlo.constant dense<2> : tensor<8xi32>
    %1 = stablehlo.compare EQ, %0, %c : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %2 = stablehlo.select %1, %arg0, %arg1 : tensor<8xi1>, tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
