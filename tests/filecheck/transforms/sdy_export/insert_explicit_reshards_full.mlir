// RUN: xshardy-opt %s -p "sdy-insert-explicit-reshards{enable-full-version=true}" | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
sdy.mesh @reversed = <["a"=2, "b"=2, "c"=4], device_ids=[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]>
sdy.mesh @other = <["x"=4]>
sdy.mesh @twin = <["a"=2, "b"=2, "c"=4]>

// Two of three tensors are sharded along "b", and the third moves.
// CHECK-LABEL: func.func @majority
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{"b"}, {}]>
// CHECK-NEXT:    %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>}
// CHECK-NEXT:    return %1
func.func @majority(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
  %0 = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : tensor<8x8xf32>
  func.return %0 : tensor<8x8xf32>
}

// An axis that is in the way of another one is given up where fewer elements have it; a result without a sharding is replicated.
// CHECK-LABEL: func.func @one_axis_once
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{"a", "c"}, {"b"}]>
// CHECK-NEXT:    %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "c"}, {"b"}]>]>}
// CHECK-NEXT:    %2 = sdy.reshard %1 <@mesh, [{}, {}]>
// CHECK-NEXT:    return %2
func.func @one_axis_once(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}, {"b"}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.add %x, %y : tensor<8x8xf32>
  func.return %0 : tensor<8x8xf32>
}

// Nothing to do, whether dimensions are open or closed, and without any sharding.
// CHECK-LABEL: func.func @compatible
// CHECK-NEXT:    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>}
// CHECK-NEXT:    %1 = stablehlo.add %arg1, %arg1
// CHECK-NEXT:    return %0, %1
func.func @compatible(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %y: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, tensor<8x8xf32>) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : tensor<8x8xf32>
  %1 = stablehlo.add %y, %y : tensor<8x8xf32>
  func.return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// Of two tensors the larger one stays, where both have as many elements the one that is divided more.
// CHECK-LABEL: func.func @one_of_two_moves
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{"b"}]>
// CHECK-NEXT:    %1 = stablehlo.broadcast_in_dim %0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"a"}]>]>}
// CHECK-NEXT:    %2 = sdy.reshard %arg1 <@mesh, [{}, {"c"}]>
// CHECK-NEXT:    %3 = stablehlo.transpose %2, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}]>]>}
// CHECK-NEXT:    %4 = sdy.reshard %1 <@mesh, [{}, {}]>
// CHECK-NEXT:    %5 = sdy.reshard %3 <@mesh, [{}, {}]>
// CHECK-NEXT:    return %4, %5
func.func @one_of_two_moves(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<8x64xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"a"}]>]>} : (tensor<8xf32>) -> tensor<8x64xf32>
  %1 = stablehlo.transpose %y, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  func.return %0, %1 : tensor<8x64xf32>, tensor<8x8xf32>
}

// Reversing a sharded dimension takes a permutation, so the tensor that is not sharded by it stays.
// CHECK-LABEL: func.func @reverse
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{}, {"b"}]>
// CHECK-NEXT:    %1 = stablehlo.reverse %0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>}
// CHECK-NEXT:    return %1
func.func @reverse(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) {
  %0 = stablehlo.reverse %x, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>} : tensor<8x8xf32>
  func.return %0 : tensor<8x8xf32>
}

// The sum along "a" is reduced, before the result moves to where it was.
// CHECK-LABEL: func.func @reduction
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{"b"}, {"a"}]>
// CHECK-NEXT:    %1 = stablehlo.dot %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>}
// CHECK-NEXT:    %2 = sdy.all_reduce {"a"} %1 out_sharding=<@mesh, [{"b"}, {}]>
// CHECK-NEXT:    %3 = sdy.reshard %2 <@mesh, [{}, {}]>
// CHECK-NEXT:    return %3
func.func @reduction(%x: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %y: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8x32xf32>, tensor<32x8xf32>) -> tensor<8x8xf32>
  func.return %0 : tensor<8x8xf32>
}

// Rows of a triangular solve cannot be divided: their axis goes to the batch if it divides that, and else nowhere.
// CHECK-LABEL: func.func @axes_go_to_the_batch
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{"b", "a"}, {}, {}]>
// CHECK-NEXT:    %1 = stablehlo.cholesky %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}, {}, {}]>]>}
// CHECK-NEXT:    %2 = sdy.reshard %1 <@mesh, [{"b"}, {}, {"a"}]>
// CHECK-NEXT:    %3 = sdy.reshard %arg1 <@mesh, [{}, {}, {}]>
// CHECK-NEXT:    %4 = stablehlo.cholesky %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>}
// CHECK-NEXT:    %5 = sdy.reshard %4 <@mesh, [{}, {}, {"a"}]>
// CHECK-NEXT:    %6 = sdy.reshard %2 <@mesh, [{}, {}, {}]>
// CHECK-NEXT:    %7 = sdy.reshard %5 <@mesh, [{}, {}, {}]>
// CHECK-NEXT:    return %6, %7
func.func @axes_go_to_the_batch(%x: tensor<4x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}, {"a"}]>}, %y: tensor<3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}]>}) -> (tensor<4x8x8xf32>, tensor<3x8x8xf32>) {
  %0 = stablehlo.cholesky %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}, {"a"}]>]>} : tensor<4x8x8xf32>
  %1 = stablehlo.cholesky %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"a"}]>]>} : tensor<3x8x8xf32>
  func.return %0, %1 : tensor<4x8x8xf32>, tensor<3x8x8xf32>
}

// A dimension made of two factors: the minor one is sharded only if the major one is fully.
// CHECK-LABEL: func.func @compound_dimension
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{"a"}, {"b"}, {"c"}]>
// CHECK-NEXT:    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b"}, {"c"}]>]>}
// CHECK-NEXT:    %2 = sdy.reshard %1 <@mesh, [{"a"}, {"c"}]>
// CHECK-NEXT:    %3 = sdy.reshard %arg1 <@mesh, [{}, {}, {}]>
// CHECK-NEXT:    %4 = stablehlo.reshape %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}
// CHECK-NEXT:    %5 = sdy.reshard %2 <@mesh, [{}, {}]>
// CHECK-NEXT:    return %5, %4
func.func @compound_dimension(%x: tensor<2x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}, {}]>}, %y: tensor<2x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}, {}]>}) -> (tensor<16x4xf32>, tensor<16x4xf32>) {
  %0 = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"c"}]>]>} : (tensor<2x8x4xf32>) -> tensor<16x4xf32>
  %1 = stablehlo.reshape %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<2x8x4xf32>) -> tensor<16x4xf32>
  func.return %0, %1 : tensor<16x4xf32>, tensor<16x4xf32>
}

// "c" has no divisor in common with what "a" leaves of the first factor: axes are dealt out anew, and both sides keep what they can.
// CHECK-LABEL: func.func @axes_with_no_room
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{"a"}]>
// CHECK-NEXT:    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>}
// CHECK-NEXT:    %2 = sdy.reshard %1 <@mesh, [{}, {"c"}]>
// CHECK-NEXT:    %3 = sdy.reshard %arg1 <@mesh, [{}]>
// CHECK-NEXT:    %4 = stablehlo.reshape %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}
// CHECK-NEXT:    %5 = sdy.reshard %4 <@mesh, [{}, {"c"}]>
// CHECK-NEXT:    %6 = sdy.reshard %2 <@mesh, [{}, {}]>
// CHECK-NEXT:    %7 = sdy.reshard %5 <@mesh, [{}, {}]>
// CHECK-NEXT:    return %6, %7
func.func @axes_with_no_room(%x: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}]>}, %y: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}]>}) -> (tensor<6x4xf32>, tensor<3x4xf32>) {
  %0 = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"c"}]>]>} : (tensor<24xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.reshape %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"c"}]>]>} : (tensor<12xf32>) -> tensor<3x4xf32>
  func.return %0, %1 : tensor<6x4xf32>, tensor<3x4xf32>
}

// The same devices in another order: the tensor over the rarer mesh moves. Over another mesh nothing does.
// CHECK-LABEL: func.func @meshes
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@reversed, [{"a"}]>
// CHECK-NEXT:    %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@reversed, [{"a"}]>]>}
// CHECK-NEXT:    %2 = stablehlo.add %arg0, %arg2
// CHECK-NEXT:    %3 = sdy.reshard %1 <@reversed, [{}]>
// CHECK-NEXT:    return %3, %2
func.func @meshes(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@reversed, [{"a"}]>}, %z: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@reversed, [{"a"}]>]>} : tensor<8xf32>
  %1 = stablehlo.add %x, %z : tensor<8xf32>
  func.return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// A rule of the user's own says what the operation can do, and so do its shardings.
// CHECK-LABEL: func.func @custom_rule
// CHECK-NEXT:    %0 = stablehlo.custom_call @shift(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>}
// CHECK-NEXT:    return %0
func.func @custom_rule(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %0 = stablehlo.custom_call @shift(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>} : (tensor<8xf32>) -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// What flows into an edge becomes what the edge is, and what is returned what the function gives.
// CHECK-LABEL: func.func @edges
// CHECK-NEXT:    %0 = sdy.reshard %arg1 <@mesh, [{"c"}]>
// CHECK-NEXT:    %1 = sdy.reshard %arg0 <@mesh, [{"b"}]>
// CHECK-NEXT:    %2:2 = stablehlo.while(%iterArg = %1, %iterArg_0 = %0) : tensor<8xf32>, tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{"c"}]>]>}
// CHECK-NEXT:    cond {
// CHECK-NEXT:      %c = stablehlo.constant dense<true>
// CHECK-NEXT:      stablehlo.return %c : tensor<i1>
// CHECK-NEXT:    } do {
// CHECK-NEXT:      %5 = stablehlo.negate %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
// CHECK-NEXT:      %6 = sdy.reshard %5 <@mesh, [{"c"}]>
// CHECK-NEXT:      stablehlo.return %5, %6 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %3 = sdy.reshard %2#0 <@mesh, [{}]>
// CHECK-NEXT:    %4 = sdy.reshard %2#1 <@mesh, [{"a"}]>
// CHECK-NEXT:    return %3, %4
func.func @edges(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0:2 = stablehlo.while(%i = %x, %j = %y) : tensor<8xf32>, tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{"c"}]>]>}
  cond {
    %1 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.negate %i {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
    stablehlo.return %1, %1 : tensor<8xf32>, tensor<8xf32>
  }
  func.return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// The body of a manual computation is local to its manual axes, so what it returns is moved along the others alone.
// CHECK-LABEL: func.func @manual_computation
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{"a"}, {}]>
// CHECK-NEXT:    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{"a"}, {"b"}]>] manual_axes={"a"} (%arg1: tensor<4x8xf32>) {
// CHECK-NEXT:      %3 = sdy.reshard %arg1 <@mesh, [{"c"}, {}]>
// CHECK-NEXT:      %4 = stablehlo.negate %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}]>]>}
// CHECK-NEXT:      %5 = sdy.reshard %4 <@mesh, [{}, {"b"}]>
// CHECK-NEXT:      sdy.return %5 : tensor<4x8xf32>
// CHECK-NEXT:    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT:    %2 = sdy.reshard %1 <@mesh, [{}, {}]>
// CHECK-NEXT:    return %2
func.func @manual_computation(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{"a"}, {"b"}]>] manual_axes={"a"} (%y: tensor<4x8xf32>) {
    %1 = stablehlo.negate %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}]>]>} : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  func.return %0 : tensor<8x8xf32>
}

// Of several results each moves by itself, and all are reduced.
// CHECK-LABEL: func.func @several_results
// CHECK-NEXT:    %cst = stablehlo.constant dense<0.000000e+00>
// CHECK-NEXT:    %c = stablehlo.constant dense<0>
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{"a"}, {"b"}]>
// CHECK-NEXT:    %1 = sdy.reshard %arg1 <@mesh, [{"a"}, {"b"}]>
// CHECK-NEXT:    %2:2 = stablehlo.reduce(%0 init: %cst), (%1 init: %c) across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{"b"}]>]>}
// CHECK-NEXT:     reducer(%arg2: tensor<f32>, %arg4: tensor<f32>) (%arg3: tensor<i32>, %arg5: tensor<i32>)  {
// CHECK-NEXT:      %7 = stablehlo.add %arg2, %arg4 : tensor<f32>
// CHECK-NEXT:      %8 = stablehlo.add %arg3, %arg5 : tensor<i32>
// CHECK-NEXT:      stablehlo.return %7, %8 : tensor<f32>, tensor<i32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %3 = sdy.all_reduce {"a"} %2#0 out_sharding=<@mesh, [{"b"}]>
// CHECK-NEXT:    %4 = sdy.all_reduce {"a"} %2#1 out_sharding=<@mesh, [{"b"}]>
// CHECK-NEXT:    %5 = sdy.reshard %4 <@mesh, [{}]>
// CHECK-NEXT:    %6 = sdy.reshard %3 <@mesh, [{}]>
// CHECK-NEXT:    return %6, %5
func.func @several_results(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %y: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<8xf32>, tensor<8xi32>) {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.constant dense<0> : tensor<i32>
  %2:2 = stablehlo.reduce(%x init: %0), (%y init: %1) across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{}]>]>} : (tensor<8x8xf32>, tensor<8x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    %s = stablehlo.add %a, %b : tensor<f32>
    %t = stablehlo.add %c, %d : tensor<i32>
    stablehlo.return %s, %t : tensor<f32>, tensor<i32>
  }
  func.return %2#0, %2#1 : tensor<8xf32>, tensor<8xi32>
}

// Two meshes of one kind: a reshape that has no room for axes goes from one to the other, unless nothing is sharded.
// CHECK-LABEL: func.func @twins
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{"a"}]>
// CHECK-NEXT:    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>}
// CHECK-NEXT:    %2 = sdy.reshard %1 <@twin, [{"a"}, {}]>
// CHECK-NEXT:    %3 = sdy.reshard %arg1 <@mesh, [{}]>
// CHECK-NEXT:    %4 = stablehlo.reshape %3 {sdy.sharding = #sdy.sharding_per_value<[<@twin, [{}, {}]>]>}
// CHECK-NEXT:    return %2, %4
func.func @twins(%x: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}]>}, %y: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}]>}) -> (tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@twin, [{"a"}, {}]>}, tensor<3x4xf32>) {
  %0 = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@twin, [{"a"}, {}]>]>} : (tensor<24xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.reshape %y {sdy.sharding = #sdy.sharding_per_value<[<@twin, [{}, {}]>]>} : (tensor<12xf32>) -> tensor<3x4xf32>
  func.return %0, %1 : tensor<6x4xf32>, tensor<3x4xf32>
}

// Axes that have no room in an operation other than a reshape are given up.
// CHECK-LABEL: func.func @no_room_elsewhere
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{}]>
// CHECK-NEXT:    %1 = stablehlo.custom_call @f(%0) {sdy.sharding_rule = #sdy.op_sharding_rule<([ij])->([ij]) {i=3, j=4}>}
// CHECK-NEXT:    return %1
func.func @no_room_elsewhere(%x: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) -> tensor<12xf32> {
  %0 = stablehlo.custom_call @f(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([ij])->([ij]) {i=3, j=4}>} : (tensor<12xf32>) -> tensor<12xf32>
  func.return %0 : tensor<12xf32>
}

// The same rule and the same shardings, and the larger operand stays.
// CHECK-LABEL: func.func @larger_operand_stays
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{}, {"b"}]>
// CHECK-NEXT:    %1 = stablehlo.concatenate %0, %arg1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8}>}
// CHECK-NEXT:    %2 = sdy.reshard %1 <@mesh, [{}, {}]>
// CHECK-NEXT:    %3 = sdy.reshard %arg3 <@mesh, [{}, {"a"}]>
// CHECK-NEXT:    %4 = stablehlo.concatenate %arg2, %3, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8}>}
// CHECK-NEXT:    %5 = sdy.reshard %4 <@mesh, [{}, {}]>
// CHECK-NEXT:    return %2, %5
func.func @larger_operand_stays(%x: tensor<2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %y: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}, %z: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %u: tensor<2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.concatenate %x, %y, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8}>} : (tensor<2x8xf32>, tensor<6x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.concatenate %z, %u, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8}>} : (tensor<6x8xf32>, tensor<2x8xf32>) -> tensor<8x8xf32>
  func.return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// A reshard has its sharding as a property: what reads it and is sharded like it needs no other one.
// CHECK-LABEL: func.func @sharded_like_a_reshard
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{"a"}]>
// CHECK-NEXT:    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// CHECK-NEXT:    return %1
func.func @sharded_like_a_reshard(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = sdy.reshard %x <@mesh, [{"a"}]> : tensor<8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Along windows that divide the input, devices have parts of the kernel, and the result is a sum of theirs.
// CHECK-LABEL: func.func @windows_that_divide
// CHECK-NEXT:  %0 = stablehlo.convolution(%arg0, %arg1)
// CHECK-NEXT:  sdy.all_reduce {"a"} %0 out_sharding=<@mesh, [{}, {"c"}, {}]>
func.func @windows_that_divide(%a: tensor<1x8x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"c", "a"}, {}]>}, %k: tensor<2x1x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {}]>}) -> tensor<1x4x1xf32> {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"c"}, {}]>]>} : (tensor<1x8x1xf32>, tensor<2x1x1xf32>) -> tensor<1x4x1xf32>
  return %0 : tensor<1x4x1xf32>
}

// CHECK-LABEL: func.func @window_of_all_elements
// CHECK-NEXT:  %0 = stablehlo.convolution(%arg0, %arg1)
// CHECK-NEXT:  sdy.all_reduce {"a"} %0
func.func @window_of_all_elements(%a: tensor<1x8x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}, {}]>}, %k: tensor<8x1x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {}]>}) -> tensor<1x1x1xf32> {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x1xf32>, tensor<8x1x1xf32>) -> tensor<1x1x1xf32>
  return %0 : tensor<1x1x1xf32>
}

// CHECK-LABEL: func.func @windows_with_gaps
// CHECK-NEXT:  %0 = sdy.reshard %arg0 <@mesh, [{}, {}, {}]>
// CHECK-NEXT:  %1 = sdy.reshard %arg1 <@mesh, [{}, {}, {}]>
// CHECK-NEXT:  stablehlo.convolution(%0, %1)
func.func @windows_with_gaps(%a: tensor<1x8x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"c", "a"}, {}]>}, %k: tensor<2x1x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {}]>}) -> tensor<1x3x1xf32> {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], rhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>} : (tensor<1x8x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>
  return %0 : tensor<1x3x1xf32>
}
