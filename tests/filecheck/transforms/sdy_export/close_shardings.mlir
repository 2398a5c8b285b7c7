// RUN: xshardy-opt %s -p sdy-close-shardings | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>

// On arguments, results, operations of any dialect, and sdy's own; priorities stay.
// CHECK-LABEL: @everywhere(
// CHECK-SAME: %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}p1, {}]>})
// CHECK-SAME: -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>})
// CHECK-NEXT: stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b"}, {"c"}]>]>}
// CHECK-NEXT: sdy.reshard %0 <@mesh, [{}, {"c"}]>
func.func @everywhere(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p1, {?}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b", ?}, {"c"}]>]>} : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{?}, {"c", ?}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// What is replicated need not be said any more; what is unreduced must, also in closed shardings.
// CHECK-LABEL: @replicated_and_unreduced(
// CHECK-SAME: %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}
// CHECK-SAME: %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}
func.func @replicated_and_unreduced(
    %x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}], replicated={"a"}>},
    %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], replicated={"c"}, unreduced={"b"}>}) {
  return
}

// CHECK-LABEL: @regions
// CHECK: sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a", "b"}]>] out_shardings=[<@mesh, [{"a"}]>]
// CHECK-NEXT: stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
func.func @regions(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", "b", ?}]>] out_shardings=[<@mesh, [{"a", ?}], replicated={"c"}>] manual_axes={"a"} (%y: tensor<4xf32>) {
    %1 = stablehlo.negate %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}]>]>} : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @nothing_to_close(
// CHECK-SAME: %arg0: tensor<8xf32>, %arg1: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}
func.func @nothing_to_close(%x: tensor<8xf32>, %y: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
  return
}
