// Integers that wrap around, positions, and masks of them.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(
    %x: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
    %y: tensor<8x4xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>},
        tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %no = stablehlo.constant dense<false> : tensor<i1>
  %three = stablehlo.constant dense<3> : tensor<8x4xi32>
  %five = stablehlo.constant dense<5> : tensor<8x4xi32>
  %rows = stablehlo.iota dim = 0 : tensor<8x4xi32>
  %columns = stablehlo.iota dim = 1 : tensor<8x4xi32>
  %0 = stablehlo.remainder %rows, %three : tensor<8x4xi32>
  %1 = stablehlo.compare LT, %0, %columns : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<8x4xi1>
  %2 = stablehlo.select %1, %x, %rows : tensor<8x4xi1>, tensor<8x4xi32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x4xi32>, tensor<i32>) -> tensor<8xi32>
  %4 = stablehlo.and %y, %1 : tensor<8x4xi1>
  %5 = stablehlo.reduce(%4 init: %no) applies stablehlo.or across dimensions = [1] : (tensor<8x4xi1>, tensor<i1>) -> tensor<8xi1>
  %6 = stablehlo.multiply %x, %x : tensor<8x4xi32>
  %7 = stablehlo.divide %6, %five : tensor<8x4xi32>
  %8 = stablehlo.compare GE, %rows, %five : (tensor<8x4xi32>, tensor<8x4xi32>) -> tensor<8x4xi1>
  %9 = stablehlo.select %8, %7, %three : tensor<8x4xi1>, tensor<8x4xi32>
  return %3, %5, %9 : tensor<8xi32>, tensor<8xi1>, tensor<8x4xi32>
}
