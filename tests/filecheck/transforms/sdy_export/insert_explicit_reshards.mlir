// RUN: xshardy-opt %s -p sdy-insert-explicit-reshards | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

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

// The result is larger than the operand whose columns conflict.
// CHECK-LABEL: func.func @large_result_stays
// CHECK-NEXT:    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>}
// CHECK-NEXT:    return %0
func.func @large_result_stays(%x: tensor<64x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %y: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> tensor<64x8xf32> {
  %0 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>} : (tensor<64x4xf32>, tensor<4x8xf32>) -> tensor<64x8xf32>
  func.return %0 : tensor<64x8xf32>
}

// The result does not want the axis that is summed over; the operands do not agree; both of them use "b".
// CHECK-LABEL: func.func @other_dots_stay
// CHECK-NEXT:    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}
// CHECK-NEXT:    %1 = stablehlo.dot %arg0, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>}
// CHECK-NEXT:    %2 = stablehlo.dot %arg3, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>}
// CHECK-NEXT:    return %0, %1, %2
func.func @other_dots_stay(%x: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %y: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %z: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}, %u: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.dot %x, %z {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.dot %u, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
  func.return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// Operands of a concatenation that are sharded in another way than the result are moved, each to where most elements are.
// CHECK-LABEL: func.func @concatenate
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{}, {"b"}]>
// CHECK-NEXT:    %1 = stablehlo.concatenate %0, %arg1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>}
// CHECK-NEXT:    return %1
func.func @concatenate(%x: tensor<2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %y: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>} : (tensor<2x8xf32>, tensor<6x8xf32>) -> tensor<8x8xf32>
  func.return %0 : tensor<8x8xf32>
}

// All alike, though along the dimension that is concatenated.
// CHECK-LABEL: func.func @concatenate_of_alike
// CHECK-NEXT:    %0 = stablehlo.concatenate %arg0, %arg0, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>}
// CHECK-NEXT:    return %0
func.func @concatenate_of_alike(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.concatenate %x, %x, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  func.return %0 : tensor<8x8xf32>
}

// Operands of a call become what the function takes.
// CHECK-LABEL: func.func @call
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{}]>
// CHECK-NEXT:    %1 = sdy.reshard %arg0 <@mesh, [{"b"}]>
// CHECK-NEXT:    %2 = stablehlo.add %arg1, %arg1
// CHECK-NEXT:    %3 = stablehlo.negate %2
// CHECK-NEXT:    %4 = call @takes_b(%1, %2)
// CHECK-NEXT:    %5 = call @takes_any(%0, %3)
// CHECK-NEXT:    return %4, %5
func.func @call(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.add %y, %y : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  %2 = func.call @takes_b(%x, %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = func.call @takes_any(%x, %1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  func.return %2, %3 : tensor<8xf32>, tensor<8xf32>
}
func.func private @takes_b(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %y: tensor<8xf32>) -> tensor<8xf32> {
  func.return %y : tensor<8xf32>
}
func.func private @takes_any(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  func.return %y : tensor<8xf32>
}

// Everything else is left as it is: conflicts of elementwise operations, of loops, and at the end of the function.
// CHECK-LABEL: func.func @left_to_later
// CHECK-NEXT:    %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
// CHECK-NEXT:    %1 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} %0
// CHECK-NEXT:    return %1
func.func @left_to_later(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %0 = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
  %1 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// ... but for what has to be reduced before it is read: by an operation, by an edge, by a call, and by the function.
// CHECK-LABEL: func.func @reduced
// CHECK-NEXT:    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a", "b"}>]>}
// CHECK-NEXT:    %1 = sdy.all_reduce {"a", "b"} %0 out_sharding=<@mesh, [{}, {}]>
// CHECK-NEXT:    %2 = sdy.all_reduce {"b"} %0 out_sharding=<@mesh, [{}, {}], unreduced={"a"}>
// CHECK-NEXT:    %3 = sdy.all_reduce {"a", "b"} %0 out_sharding=<@mesh, [{}, {}]>
// CHECK-NEXT:    %4 = stablehlo.sine %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>}
// CHECK-NEXT:    %5 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a"}>]>} %2
// CHECK-NEXT:    %6 = call @square(%1)
// CHECK-NEXT:    %7 = sdy.all_reduce {"a"} %0 out_sharding=<@mesh, [{}, {}], unreduced={"b"}>
// CHECK-NEXT:    return %7, %4, %6
func.func @reduced(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a", "b"}>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a", "b"}>]>} : tensor<8x8xf32>
  %1 = stablehlo.sine %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : tensor<8x8xf32>
  %2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a"}>]>} %0 : tensor<8x8xf32>
  %3 = func.call @square(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  func.return %0, %1, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
func.func private @square(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  func.return %x : tensor<8x8xf32>
}

// A sum along both axes that remains unreduced along one of them.
// CHECK-LABEL: func.func @reduced_along_one_axis
// CHECK-NEXT:    %cst = stablehlo.constant dense<0.000000e+00>
// CHECK-NEXT:    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"b"}>]>}
// CHECK-NEXT:    %1 = sdy.all_reduce {"a"} %0 out_sharding=<@mesh, [{}], unreduced={"b"}>
// CHECK-NEXT:    %2 = sdy.all_reduce {"b"} %1 out_sharding=<@mesh, [{}]>
// CHECK-NEXT:    return %2
func.func @reduced_along_one_axis(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b", "a"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"b"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  func.return %1 : tensor<8xf32>
}
