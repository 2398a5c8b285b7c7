// RUN: xshardy-opt %s -p "sdy-insert-explicit-reshards{enable-full-version=true}" --split-input-file --verify-diagnostics | filecheck %s

// A result cannot be sharded along an axis along which it is unreduced. C++ Shardy makes such a module, which does not
// verify.
sdy.mesh @mesh = <["a"=2, "c"=4]>
func.func @sharded_operand(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"c"}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"c"}>]>} : tensor<8x8xf32>
  func.return %0 : tensor<8x8xf32>
}
// CHECK:      'stablehlo.negate' op has a result that is unreduced along axis "c", while an operand is sharded along it in dimension 1 of the result: reshard the operand, or remove the axis from the unreduced ones

// -----

sdy.mesh @mesh = <["a"=2, "c"=4]>
func.func @sharded_along_a_part(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c":(1)2}, {"a"}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}], unreduced={"c"}>]>} : tensor<8x8xf32>
  func.return %0 : tensor<8x8xf32>
}
// CHECK:      'stablehlo.negate' op has a result that is unreduced along axis "c", while an operand is sharded along it in dimension 0 of the result
