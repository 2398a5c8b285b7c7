// A mixture of experts: tokens are divided among 8 devices, and so are the experts that they are sent to and come from.
sdy.mesh @mesh = <["expert"=8]>

func.func @experts(
    %tokens: tensor<1024x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}]>},
    %dispatch: tensor<1024x16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>},
    %up: tensor<16x256x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>},
    %down: tensor<16x1024x256xf32>) -> (tensor<1024x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}]>}) {
  %sent = stablehlo.dot_general %dispatch, %tokens, contracting_dims = [0] x [0] : (tensor<1024x16x64xf32>, tensor<1024x256xf32>) -> tensor<16x64x256xf32>
  %hidden = stablehlo.dot_general %sent, %up, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<16x64x256xf32>, tensor<16x256x1024xf32>) -> tensor<16x64x1024xf32>
  %active = stablehlo.tanh %hidden : tensor<16x64x1024xf32>
  %answers = stablehlo.dot_general %active, %down, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<16x64x1024xf32>, tensor<16x1024x256xf32>) -> tensor<16x64x256xf32>
  %back = stablehlo.dot_general %dispatch, %answers, contracting_dims = [1, 2] x [0, 1] : (tensor<1024x16x64xf32>, tensor<16x64x256xf32>) -> tensor<1024x256xf32>
  return %back : tensor<1024x256xf32>
}
