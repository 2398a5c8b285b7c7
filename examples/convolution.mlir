// A convolution whose image is divided by rows: each device needs a row of both neighbours, a halo.
sdy.mesh @mesh = <["rows"=4]>

func.func @convolution(
    %image: tensor<8x64x64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"rows"}, {}, {}]>},
    %kernel: tensor<3x3x16x32xf32>) -> tensor<8x64x64x32xf32> {
  %0 = stablehlo.convolution(%image, %kernel) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x64x64x16xf32>, tensor<3x3x16x32xf32>) -> tensor<8x64x64x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x64x64x32xf32>
  return %1 : tensor<8x64x64x32xf32>
}
