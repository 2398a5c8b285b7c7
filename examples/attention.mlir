// Attention of 16 heads on 32 devices: the batch is divided along "data", the heads along "model".
sdy.mesh @mesh = <["data"=4, "model"=8]>

func.func @attention(
    %x: tensor<8x256x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>},
    %wq: tensor<512x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>},
    %wk: tensor<512x16x32xf32>,
    %wv: tensor<512x16x32xf32>,
    %wo: tensor<16x32x512xf32>) -> tensor<8x256x512xf32> {
  %q = stablehlo.dot_general %x, %wq, contracting_dims = [2] x [0] : (tensor<8x256x512xf32>, tensor<512x16x32xf32>) -> tensor<8x256x16x32xf32>
  %k = stablehlo.dot_general %x, %wk, contracting_dims = [2] x [0] : (tensor<8x256x512xf32>, tensor<512x16x32xf32>) -> tensor<8x256x16x32xf32>
  %v = stablehlo.dot_general %x, %wv, contracting_dims = [2] x [0] : (tensor<8x256x512xf32>, tensor<512x16x32xf32>) -> tensor<8x256x16x32xf32>
  %scores = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<8x256x16x32xf32>, tensor<8x256x16x32xf32>) -> tensor<8x16x256x256xf32>
  %exp = stablehlo.exponential %scores : tensor<8x16x256x256xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%exp init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<8x16x256x256xf32>, tensor<f32>) -> tensor<8x16x256xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0, 1, 2] : (tensor<8x16x256xf32>) -> tensor<8x16x256x256xf32>
  %weights = stablehlo.divide %exp, %sums : tensor<8x16x256x256xf32>
  %mixed = stablehlo.dot_general %weights, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<8x16x256x256xf32>, tensor<8x256x16x32xf32>) -> tensor<8x16x256x32xf32>
  %out = stablehlo.dot_general %mixed, %wo, contracting_dims = [1, 3] x [0, 1] : (tensor<8x16x256x32xf32>, tensor<16x32x512xf32>) -> tensor<8x256x512xf32>
  return %out : tensor<8x256x512xf32>
}
