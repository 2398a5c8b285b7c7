// Positions modulo 4 in parts of 6 elements do not continue from part to part.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} () {
      %2 = stablehlo.iota dim = 0 : tensor<6xi32>
      %c = stablehlo.constant dense<4> : tensor<6xi32>
      %3 = stablehlo.remainder %2, %c : tensor<6xi32>
      sdy.return %3 : tensor<6xi32>
    } : () -> tensor<12xi32>
    %1 = stablehlo.slice %0 [8:12] : (tensor<12xi32>) -> tensor<4xi32>
    return %1 : tensor<4xi32>
  }
}

// -----

module {
  func.func @main(%arg0: tensor<4xi32>) -> tensor<4xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<4xi32>
    return %0 : tensor<4xi32>
  }
}
