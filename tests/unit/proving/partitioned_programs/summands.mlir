// A loop and a branch that carry summands, and linear functions of them that are masked, selected and converted.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(
  %x: tensor<4x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}], unreduced={"x"}>},
  %y: tensor<4x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %choice: tensor<i32>
) -> (tensor<4x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}], unreduced={"x"}>},
  tensor<4x3xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>},
  tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %z = %x) : tensor<i32>, tensor<4x3xi32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"y"}, {}], unreduced={"x"}>]>}
  cond {
    %4 = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %4 = stablehlo.add %i, %one : tensor<i32>
    %5 = stablehlo.multiply %z, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}], unreduced={"x"}>]>} : tensor<4x3xi32>
    %6 = stablehlo.add %5, %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}], unreduced={"x"}>]>} : tensor<4x3xi32>
    stablehlo.return %4, %6 : tensor<i32>, tensor<4x3xi32>
  }
  %1 = "stablehlo.case"(%choice) ({
    %4 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}], unreduced={"x"}>]>} : tensor<4x3xi32>
    stablehlo.return %4 : tensor<4x3xi32>
  }, {
    stablehlo.return %0#1 : tensor<4x3xi32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}], unreduced={"x"}>]>} : (tensor<i32>) -> tensor<4x3xi32>
  %2 = stablehlo.convert %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}], unreduced={"x"}>]>} : (tensor<4x3xi32>) -> tensor<4x3xi16>
  %3 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}], unreduced={"x"}>]>} : (tensor<4x3xi32>, tensor<i32>) -> tensor<4xi32>
  return %0#1, %2, %3 : tensor<4x3xi32>, tensor<4x3xi16>, tensor<4xi32>
}
