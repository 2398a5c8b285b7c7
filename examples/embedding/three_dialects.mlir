// StableHLO, linalg, and a dialect of one's own: one sharding on %x is enough for all of them.
sdy.mesh @mesh = <["data"=4, "model"=8]>

func.func @layer(
    %x: tensor<64x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>},
    %w: tensor<1024x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"model"}]>},
    %bias: tensor<4096xf32>) -> tensor<64x4096xf32> {
  %0 = stablehlo.dot %x, %w : (tensor<64x1024xf32>, tensor<1024x4096xf32>) -> tensor<64x4096xf32>
  %1 = stablehlo.constant dense<0.0> : tensor<64x4096xf32>
  %2 = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias : tensor<64x4096xf32>, tensor<4096xf32>) outs(%1 : tensor<64x4096xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %sum = arith.addf %a, %b : f32
      linalg.yield %sum : f32
    } -> tensor<64x4096xf32>
  %3 = "rows.softmax"(%2) : (tensor<64x4096xf32>) -> tensor<64x4096xf32>
  return %3 : tensor<64x4096xf32>
}
