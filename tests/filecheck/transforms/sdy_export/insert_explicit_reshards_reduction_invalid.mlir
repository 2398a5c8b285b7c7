// RUN: xshardy-opt %s -p sdy-insert-explicit-reshards --verify-diagnostics | filecheck %s

// One operand is sharded along the dimension that is summed over, and the other is not: which sum is unreduced?
sdy.mesh @mesh = <["a"=2]>
func.func @operands_disagree(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  func.return %0 : tensor<8x8xf32>
}
// CHECK:      'stablehlo.dot' op has results with unreduced axes, while its operands are not sharded alike along the dimensions that it reduces: reshard one of them
