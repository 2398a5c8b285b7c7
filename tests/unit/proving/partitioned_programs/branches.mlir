// Branches with collectives, chosen by a sum over all devices.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(
    %x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %y: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.compare GT, %0, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %2 = "stablehlo.if"(%1) ({
    %3 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    stablehlo.return %3 : tensor<4x4xf32>
  }, {
    %4 = stablehlo.subtract %x, %y : tensor<4x4xf32>
    stablehlo.return %4 : tensor<4x4xf32>
  }) : (tensor<i1>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
