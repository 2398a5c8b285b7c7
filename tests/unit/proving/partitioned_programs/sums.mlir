// Sums of sums, of a tensor and the same again, of summands that are looked up and updated, and products of these.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(
  %t: tensor<2x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}], unreduced={"x"}>}, %u: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>},
  %v: tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %i: tensor<i32>
) -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<i32> {sdy.sharding = #sdy.sharding<@mesh, []>},
  tensor<i32> {sdy.sharding = #sdy.sharding<@mesh, []>}, tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%t init: %c) applies stablehlo.add across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"y"}>]>} : (tensor<2x4xi32>, tensor<i32>) -> tensor<4xi32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}], unreduced={"y"}> : tensor<4xi32>
  %2 = stablehlo.multiply %1, %1 : tensor<4xi32>
  %3 = stablehlo.reduce(%t init: %c) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x4xi32>, tensor<i32>) -> tensor<i32>
  %4 = stablehlo.concatenate %u, %u, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<8xi32>
  %5 = stablehlo.reduce(%4 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<8xi32>, tensor<i32>) -> tensor<i32>
  %6 = stablehlo.dynamic_slice %v, %i, sizes = [4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : (tensor<6xi32>, tensor<i32>) -> tensor<4xi32>
  %7 = stablehlo.subtract %u, %6 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<4xi32>
  return %2, %3, %5, %7 : tensor<4xi32>, tensor<i32>, tensor<i32>, tensor<4xi32>
}
