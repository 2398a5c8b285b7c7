// The state after 40 numbers, not after 8.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)
    return %output_state : tensor<2xui64>
  }
}

// -----

module {
  func.func @main(%arg0: tensor<2xui64>) -> tensor<2xui64> {
    %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<40xui32>)
    return %output_state : tensor<2xui64>
  }
}
