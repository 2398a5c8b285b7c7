sdy.mesh @mesh = <["data"=4, "model"=8]>

func.func @layer(
    %x: tensor<64x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>},
    %w: tensor<1024x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> tensor<64x4096xf32> {
  %y = "lin.matmul"(%x, %w) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>}
      : (tensor<64x1024xf32>, tensor<1024x4096xf32>) -> tensor<64x4096xf32>
  func.return %y : tensor<64x4096xf32>
}
