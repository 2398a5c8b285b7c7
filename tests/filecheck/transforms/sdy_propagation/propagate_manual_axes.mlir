// RUN: xshardy-opt %s -p 'sdy-add-data-flow-edges,sdy-basic-propagate' --split-input-file | filecheck %s

// The manual axes of an argument go back to what flows into it, though the body does not know them.
// CHECK-LABEL: func.func @to_the_operand
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  %[[v1:.*]] = sdy.manual_computation(%[[v0]]) in_shardings=[<@mesh, [{"a", ?}, {?}]>] out_shardings=[<@mesh, [{"a"}, {?}]>] manual_axes={"a"} (%arg1: tensor<4x4xf32>) {
// CHECK-NEXT:    %[[v2:.*]] = sdy.data_flow_edge %arg1 sharding=<@mesh, [{?}, {?}]> : tensor<4x4xf32>
// CHECK-NEXT:    %[[v3:.*]] = stablehlo.negate %[[v2]] : tensor<4x4xf32>
// CHECK-NEXT:    sdy.return %[[v3]] : tensor<4x4xf32>
// CHECK-NEXT:  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:  %[[v4:.*]] = sdy.data_flow_edge %[[v1]] sharding=<@mesh, [{"a"}, {?}]> : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v4]] : tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @to_the_operand(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.negate %x : tensor<8x4xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"a", ?}, {?}]>] out_shardings=[<@mesh, [{"a"}, {?}]>] manual_axes={"a"} (%y: tensor<4x4xf32>) {
    %2 = stablehlo.negate %y : tensor<4x4xf32>
    sdy.return %2 : tensor<4x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  func.return %1 : tensor<8x4xf32>
}

// -----

// A free axis of the body goes out behind the manual ones.
// CHECK-LABEL: func.func @out_of_the_body
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"c", ?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}, {"c", ?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}, {?}]>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%arg1: tensor<4x4xf32>) {
// CHECK-NEXT:    %[[v1:.*]] = sdy.data_flow_edge %arg1 sharding=<@mesh, [{}, {"c", ?}]> : tensor<4x4xf32>
// CHECK-NEXT:    %[[v2:.*]] = stablehlo.negate %[[v1]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}, {"c", ?}]>]>} : tensor<4x4xf32>
// CHECK-NEXT:    sdy.return %[[v2]] : tensor<4x4xf32>
// CHECK-NEXT:  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:  %[[v3:.*]] = sdy.data_flow_edge %[[v0]] sharding=<@mesh, [{"a", "b", ?}, {"c", ?}]> : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v3]] : tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @out_of_the_body(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}, {?}]>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%y: tensor<4x4xf32>) {
    %1 = stablehlo.negate %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}, {"c", ?}]>]>} : tensor<4x4xf32>
    sdy.return %1 : tensor<4x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  func.return %0 : tensor<8x4xf32>
}

// -----

// Each value has manual axes of its own; the free axes written beside them take part on both sides.
// CHECK-LABEL: func.func @several_values
// CHECK-SAME:    (%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}, {?}]>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", "c", ?}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", "c", ?}]>}, tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}, {?}]>}) {
// CHECK-NEXT:  %[[v0:.*]]:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"a", "b", ?}, {?}]>, <@mesh, [{?}, {"a", ?}]>] out_shardings=[<@mesh, [{?}, {"a", "c", ?}]>, <@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%arg2: tensor<8x16xf32>, %arg3: tensor<16x8xf32>) {
// CHECK-NEXT:    %[[v1:.*]] = sdy.data_flow_edge %arg2 sharding=<@mesh, [{"b", ?}, {?}]> : tensor<8x16xf32>
// CHECK-NEXT:    %[[v2:.*]] = sdy.data_flow_edge %arg3 sharding=<@mesh, [{?}, {"c", ?}]> : tensor<16x8xf32>
// CHECK-NEXT:    %[[v3:.*]] = stablehlo.negate %[[v2]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"c", ?}]>]>} : tensor<16x8xf32>
// CHECK-NEXT:    %[[v4:.*]] = stablehlo.negate %[[v1]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}, {?}]>]>} : tensor<8x16xf32>
// CHECK-NEXT:    sdy.return %[[v3]], %[[v4]] : tensor<16x8xf32>, tensor<8x16xf32>
// CHECK-NEXT:  } : (tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>)
// CHECK-NEXT:  %[[v5:.*]] = sdy.data_flow_edge %[[v0]]#0 sharding=<@mesh, [{?}, {"a", "c", ?}]> : tensor<16x16xf32>
// CHECK-NEXT:  %[[v6:.*]] = sdy.data_flow_edge %[[v0]]#1 sharding=<@mesh, [{"a", "b", ?}, {?}]> : tensor<16x16xf32>
// CHECK-NEXT:  return %[[v5]], %[[v6]] : tensor<16x16xf32>, tensor<16x16xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @several_values(%x: tensor<16x16xf32>, %y: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %0:2 = sdy.manual_computation(%x, %y) in_shardings=[<@mesh, [{"a", "b", ?}, {?}]>, <@mesh, [{?}, {"a", ?}]>] out_shardings=[<@mesh, [{?}, {"a", "c", ?}]>, <@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%u: tensor<8x16xf32>, %v: tensor<16x8xf32>) {
    %1 = stablehlo.negate %v : tensor<16x8xf32>
    %2 = stablehlo.negate %u : tensor<8x16xf32>
    sdy.return %1, %2 : tensor<16x8xf32>, tensor<8x16xf32>
  } : (tensor<16x16xf32>, tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>)
  func.return %0#0, %0#1 : tensor<16x16xf32>, tensor<16x16xf32>
}
