// The difference of both integers does not fit into 64 bits.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %c = stablehlo.constant dense<9223372036854775807> : tensor<4xi64>
    %c_0 = stablehlo.constant dense<-1> : tensor<4xi64>
    %0 = stablehlo.compare GT, %c, %c_0 : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %1 = stablehlo.select %0, %arg0, %arg1 : tensor<4xi1>, tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}

// -----

module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    return %arg1 : tensor<4xf32>
  }
}
