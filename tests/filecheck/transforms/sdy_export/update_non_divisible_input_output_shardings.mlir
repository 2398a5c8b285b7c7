// RUN: xshardy-opt %s -p sdy-update-non-divisible-input-output-shardings | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=6, "c"=4]>
sdy.mesh @single = <[], device_ids=[3]>

// Axes are kept from the first on, as long as the dimension divides by them; the last one is cut where a part fits.
// CHECK-LABEL: @prefixes(
// CHECK-SAME: %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c", ?}]>}
// CHECK-SAME: %arg1: tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}
// CHECK-SAME: %arg2: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}
// CHECK-SAME: %arg3: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}]>}
// CHECK-SAME: %arg4: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}
// CHECK-SAME: %arg5: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c":(2)2}]>}
// CHECK-SAME: %arg6: tensor<0xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}
func.func @prefixes(
    %0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c", ?}]>},
    %1: tensor<7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>},
    %2: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c", ?}]>},
    %3: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}]>},
    %4: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a", "c"}]>},
    %5: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c":(2)2}]>},
    %6: tensor<0xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  return
}

// Each dimension by itself. One that is cut loses its priority, one that is not keeps it; other axes stay.
// CHECK-LABEL: @dimensions(
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c", ?}p2], replicated={"b":(1)2}>}
// CHECK-SAME: -> (tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {"b":(1)3}], unreduced={"a"}>})
func.func @dimensions(
    %x: tensor<2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b":(2)3}p1, {"c", ?}p2], replicated={"b":(1)2}>},
    %y: tensor<8x3xf32>)
    -> (tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {"b"}], unreduced={"a"}>}) {
  return %y : tensor<8x3xf32>
}

// Calls and manual computations, also in regions; no other operation.
// CHECK-LABEL: @operations
// CHECK: call @callee(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// CHECK: call @callee(%arg0) : (tensor<6xf32>) -> tensor<6xf32>
// CHECK: sdy.manual_computation(%0)
// CHECK-SAME: in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a", ?}]>] manual_axes={"a"}
// CHECK: call @local(%arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)3}]>]>}
// CHECK: stablehlo.negate %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}]>]>}
func.func @operations(%x: tensor<6xf32>) -> tensor<6xf32> {
  %0 = call @callee(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "c"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
  %1 = call @callee(%x) : (tensor<6xf32>) -> tensor<6xf32>
  %2 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"a", "c"}]>] out_shardings=[<@mesh, [{"a", "c", ?}]>] manual_axes={"a"} (%y: tensor<3xf32>) {
    %3 = func.call @local(%y) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<3xf32>) -> tensor<3xf32>
    sdy.return %3 : tensor<3xf32>
  } : (tensor<6xf32>) -> tensor<6xf32>
  %4 = stablehlo.negate %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}]>]>} : tensor<6xf32>
  return %4 : tensor<6xf32>
}
func.func private @callee(%x: tensor<6xf32>) -> tensor<6xf32> {
  return %x : tensor<6xf32>
}
func.func private @local(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

// What is on a single device is not divided at all, and its sharding has no dimensions.
// CHECK-LABEL: @single_device(
// CHECK-SAME: %arg0: tensor<7xf32> {sdy.sharding = #sdy.sharding<@single, []>}
func.func @single_device(%x: tensor<7xf32> {sdy.sharding = #sdy.sharding<@single, []>}) {
  return
}

// A manual computation of which one side is divided evenly: the other side is cut.
// CHECK-LABEL: @one_side_of_a_manual_computation(
// CHECK: sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a", "c"}]>]
// CHECK: sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{"a", "c"}]>] out_shardings=[<@mesh, [{"a"}]>]
func.func @one_side_of_a_manual_computation(%x: tensor<6xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<6xf32>) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", "c"}]>] out_shardings=[<@mesh, [{"a", "c"}]>] manual_axes={"a"} (%z: tensor<3xf32>) {
    %2 = stablehlo.constant dense<0.0> : tensor<4xf32>
    sdy.return %2 : tensor<4xf32>
  } : (tensor<6xf32>) -> tensor<8xf32>
  %1 = sdy.manual_computation(%y) in_shardings=[<@mesh, [{"a", "c"}]>] out_shardings=[<@mesh, [{"a", "c"}]>] manual_axes={"a"} (%z: tensor<4xf32>) {
    %2 = stablehlo.constant dense<0.0> : tensor<3xf32>
    sdy.return %2 : tensor<3xf32>
  } : (tensor<8xf32>) -> tensor<6xf32>
  return %0, %1 : tensor<8xf32>, tensor<6xf32>
}
