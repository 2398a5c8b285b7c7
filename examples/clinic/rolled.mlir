// A rotation by one along a dimension of 10 elements on 4 devices.
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<10x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<10x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %a [9:10, 0:128] : (tensor<10x128xf32>) -> tensor<1x128xf32>
  %1 = stablehlo.slice %a [0:9, 0:128] : (tensor<10x128xf32>) -> tensor<9x128xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x128xf32>, tensor<9x128xf32>) -> tensor<10x128xf32>
  return %2 : tensor<10x128xf32>
}
