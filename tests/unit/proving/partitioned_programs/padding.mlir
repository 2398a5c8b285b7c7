// Dimensions that are not divided evenly: sums and maxima that padding must not change.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(
    %x: tensor<5x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %w: tensor<5x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>})
    -> (tensor<4x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
        tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = sdy.sharding_constraint %x <@mesh, [{"y"}, {}]> : tensor<5x4xf32>
  %1 = stablehlo.exponential %0 : tensor<5x4xf32>
  %2 = sdy.sharding_constraint %w <@mesh, [{"y"}, {}]> : tensor<5x5xf32>
  %3 = stablehlo.dot_general %1, %2, contracting_dims = [0] x [0] : (tensor<5x4xf32>, tensor<5x5xf32>) -> tensor<4x5xf32>
  %4 = stablehlo.reduce(%1 init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<5x4xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = stablehlo.negate %2 : tensor<5x5xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x5xf32>, tensor<f32>) -> tensor<f32>
  return %3, %4, %6 : tensor<4x5xf32>, tensor<4xf32>, tensor<f32>
}
