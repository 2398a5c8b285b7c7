// What JAX wrote before Shardy: shardings in HLO's notation.
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<8x16xf32> {mhlo.sharding = "{devices=[4,1]<=[4]}"}, %b: tensor<16x32xf32> {mhlo.sharding = "{replicated}"}) -> tensor<8x32xf32> {
    %0 = stablehlo.dot %a, %b : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    return %0 : tensor<8x32xf32>
  }
}
