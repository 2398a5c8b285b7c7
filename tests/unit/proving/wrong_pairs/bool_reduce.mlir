// Disjunction and conjunction.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<3x3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<3xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<3x3xi1>, tensor<i1>) -> tensor<3xi1>
    return %0 : tensor<3xi1>
  }
}

// -----

module {
  func.func @main(%arg0: tensor<3x3xi1>) -> tensor<3xi1> {
    %c = stablehlo.constant dense<true> : tensor<i1>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.multiply across dimensions = [1] : (tensor<3x3xi1>, tensor<i1>) -> tensor<3xi1>
    return %0 : tensor<3xi1>
  }
}
