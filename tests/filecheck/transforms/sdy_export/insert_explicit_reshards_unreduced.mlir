// RUN: xshardy-opt %s -p "sdy-insert-explicit-reshards{enable-full-version=true}" | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>

// All devices along "a" but one forget what they have.
// CHECK-LABEL: func.func @replicated_to_unreduced
// CHECK-NEXT:    %0 = sdy.replicated_to_unreduced {"a"} %arg0 out_sharding=<@mesh, [{"b"}, {}], unreduced={"a"}>
// CHECK-NEXT:    %1 = sdy.all_reduce {"a"} %0 out_sharding=<@mesh, [{"b"}, {}]>
// CHECK-NEXT:    %2 = sdy.reshard %1 <@mesh, [{}, {}]>
// CHECK-NEXT:    return %2
func.func @replicated_to_unreduced(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.reshard %x <@mesh, [{"b"}, {}], unreduced={"a"}> : tensor<8x8xf32>
  func.return %0 : tensor<8x8xf32>
}

// Each device pads its part, here along a part of "b".
// CHECK-LABEL: func.func @sharded_to_unreduced
// CHECK-NEXT:    %0 = sdy.sharded_to_unreduced [{"b":(2)2}, {"a"}] %arg0 out_sharding=<@mesh, [{"b":(1)2}, {}], unreduced={"a", "b":(2)2}>
// CHECK-NEXT:    return %0
func.func @sharded_to_unreduced(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}, {}], unreduced={"a", "b":(2)2}>}) {
  func.return %x : tensor<8x8xf32>
}

// Both, and "c" has to leave its dimension first; then the function wants all of it reduced.
// CHECK-LABEL: func.func @all_three
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{"b"}, {}]>
// CHECK-NEXT:    %1 = sdy.replicated_to_unreduced {"a"} %0 out_sharding=<@mesh, [{"b"}, {}], unreduced={"a"}>
// CHECK-NEXT:    %2 = sdy.sharded_to_unreduced [{"b"}, {}] %1 out_sharding=<@mesh, [{}, {}], unreduced={"a", "b"}>
// CHECK-NEXT:    %3 = sdy.all_reduce {"a", "b"} %2 out_sharding=<@mesh, [{}, {}]>
// CHECK-NEXT:    return %3
func.func @all_three(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"c"}]>}) -> tensor<8x8xf32> {
  %0 = sdy.reshard %x <@mesh, [{}, {}], unreduced={"a", "b"}> : tensor<8x8xf32>
  func.return %0 : tensor<8x8xf32>
}

// It is unreduced already, and remains so; a reshard that makes nothing unreduced stays one.
// CHECK-LABEL: func.func @unreduced_before
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{"b"}, {}], unreduced={"a"}>
// CHECK-NEXT:    %1 = sdy.replicated_to_unreduced {"c"} %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"a", "c"}>
// CHECK-NEXT:    return %0, %1
func.func @unreduced_before(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}], unreduced={"a"}>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a", "c"}>}) {
  %0 = sdy.reshard %x <@mesh, [{"b"}, {}], unreduced={"a"}> : tensor<8x8xf32>
  func.return %0, %x : tensor<8x8xf32>, tensor<8x8xf32>
}

// Each use of an unreduced tensor reduces it for itself: common subexpressions are somebody else's business.
// CHECK-LABEL: func.func @each_use
// CHECK-NEXT:    %0 = sdy.all_reduce {"a"} %arg0 out_sharding=<@mesh, [{}, {}]>
// CHECK-NEXT:    %1 = sdy.all_reduce {"a"} %arg0 out_sharding=<@mesh, [{}, {}]>
// CHECK-NEXT:    %2 = stablehlo.multiply %0, %1
// CHECK-NEXT:    return %2
func.func @each_use(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}) -> tensor<8x8xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<8x8xf32>
  func.return %0 : tensor<8x8xf32>
}

// A product that remains unreduced along "a" is reduced along the other axis of its contracted dimension.
// CHECK-LABEL: func.func @partly_reduced
// CHECK-NEXT:    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a"}>]>}
// CHECK-NEXT:    %1 = sdy.all_reduce {"c"} %0 out_sharding=<@mesh, [{}, {}], unreduced={"a"}>
// CHECK-NEXT:    return %1
func.func @partly_reduced(%x: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a", "c"}]>}, %y: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}) {
  %0 = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a"}>]>} : (tensor<8x32xf32>, tensor<32x8xf32>) -> tensor<8x8xf32>
  func.return %0 : tensor<8x8xf32>
}

// An operation without results reads a sharded tensor as it is, also in a module with unreduced tensors.
// CHECK-LABEL: func.func @no_results
// CHECK-NEXT:    stablehlo.custom_call @f(%arg0)
func.func @no_results(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  stablehlo.custom_call @f(%x) {has_side_effect = true} : (tensor<8xf32>) -> ()
  func.return
}

// Upstream takes what has no sharding for the parts of a sum that a result is to be. The partitioner pipeline does not.
// CHECK-LABEL: func.func @operand_without_a_sharding
// CHECK-NEXT:    return %arg0
func.func @operand_without_a_sharding(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a"}>}) {
  func.return %x : tensor<8xf32>
}
