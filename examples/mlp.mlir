// Two layers of a network on a mesh of 32 devices. Only the arguments are sharded.
sdy.mesh @mesh = <["data"=4, "model"=8]>

func.func @mlp(
    %x: tensor<64x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
    %w0: tensor<1024x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
    %w1: tensor<4096x1024xf32>) -> tensor<64x16x64xf32> {
  %0 = stablehlo.dot %x, %w0 : (tensor<64x1024xf32>, tensor<1024x4096xf32>) -> tensor<64x4096xf32>
  %1 = stablehlo.tanh %0 : tensor<64x4096xf32>
  %2 = stablehlo.dot %1, %w1 : (tensor<64x4096xf32>, tensor<4096x1024xf32>) -> tensor<64x1024xf32>
  %3 = stablehlo.reshape %2 : (tensor<64x1024xf32>) -> tensor<64x16x64xf32>
  return %3 : tensor<64x16x64xf32>
}
