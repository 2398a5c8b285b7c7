// RUN: xshardy-opt %s -p sdy-insert-explicit-reshards | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// Dots are resolved also in a module where nothing is unreduced and the full version is off.

// Each device multiplies a fourth, and what moves is the result, for it wants its columns along the axis that is summed over.
// CHECK-LABEL: func.func @result_of_dot_moves
// CHECK-NEXT:    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>}
// CHECK-NEXT:    %1 = sdy.reshard %0 <@mesh, [{}, {"a"}]>
// CHECK-NEXT:    %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>}
// CHECK-NEXT:    return %2
func.func @result_of_dot_moves(%x: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %y: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> tensor<4x8xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>} : tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}

// The same for `dot`, of the rows.
// CHECK-LABEL: func.func @rows_of_dot_move
// CHECK-NEXT:    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>}
// CHECK-NEXT:    %1 = sdy.reshard %0 <@mesh, [{"a"}, {}]>
// CHECK-NEXT:    return %1
func.func @rows_of_dot_move(%x: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %y: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<4x8xf32> {
  %0 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}

// A reduce-scatter: the operand is not sharded there, so moving the result would gain nothing.
// CHECK-LABEL: func.func @reduce_scatter_stays
// CHECK-NEXT:    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>}
// CHECK-NEXT:    return %0
func.func @reduce_scatter_stays(%x: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %y: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<4x8xf32> {
  %0 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}
