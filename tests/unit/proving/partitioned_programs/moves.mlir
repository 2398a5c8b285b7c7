// Slices, pads, reversals and concatenations along sharded dimensions.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(
    %x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>},
    %y: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>},
        tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>},
        tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.slice %x [0:7, 0:4] : (tensor<8x4xf32>) -> tensor<7x4xf32>
  %1 = stablehlo.pad %0, %two, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<7x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<8x4xf32>
  %3 = stablehlo.reverse %y, dims = [0] : tensor<8x4xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %5 = stablehlo.slice %x [2:6, 0:4] : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %6 = stablehlo.slice %y [0:4, 0:4] : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %7 = stablehlo.concatenate %5, %6, dim = 0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %8 = stablehlo.divide %7, %y : tensor<8x4xf32>
  return %2, %4, %8 : tensor<8x4xf32>, tensor<4x8xf32>, tensor<8x4xf32>
}
