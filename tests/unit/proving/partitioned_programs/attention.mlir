// A softmax along a sharded dimension, with a mask of positions, between products and transposes of equal sizes.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(
    %q: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %k: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>},
    %v: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %low = stablehlo.constant dense<-9.0> : tensor<4x4xf32>
  %rows = stablehlo.iota dim = 0 : tensor<4x4xi32>
  %columns = stablehlo.iota dim = 1 : tensor<4x4xi32>
  %mask = stablehlo.compare GE, %rows, %columns : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
  %t = stablehlo.transpose %k, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = stablehlo.dot_general %q, %t, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.select %mask, %0, %low : tensor<4x4xi1>, tensor<4x4xf32>
  %2 = stablehlo.reduce(%1 init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  %4 = stablehlo.subtract %1, %3 : tensor<4x4xf32>
  %5 = stablehlo.exponential %4 : tensor<4x4xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  %8 = stablehlo.divide %5, %7 : tensor<4x4xf32>
  %9 = stablehlo.dot_general %8, %v, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %9 : tensor<4x4xf32>
}
