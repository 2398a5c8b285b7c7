// A loop that carries sharded tensors and a sum.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(
    %x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %w: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %first = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %first, %a = %x, %s = %zero) : tensor<i32>, tensor<4x4xf32>, tensor<f32>
    cond {
      %end = stablehlo.constant dense<3> : tensor<i32>
      %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %2 = stablehlo.tanh %1 : tensor<4x4xf32>
      %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
      %4 = stablehlo.add %s, %3 : tensor<f32>
      %5 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %5, %2, %4 : tensor<i32>, tensor<4x4xf32>, tensor<f32>
    }
  return %0#1, %0#2 : tensor<4x4xf32>, tensor<f32>
}
