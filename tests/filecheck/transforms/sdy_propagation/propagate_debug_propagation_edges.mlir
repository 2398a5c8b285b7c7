// RUN: xshardy-opt %s -p 'sdy-add-data-flow-edges,sdy-aggressive-propagate{debug-propagation-edge-sharding=true}' --split-input-file | filecheck %s

// Each change is a step; an operation lists the axes that went through it.
// CHECK-LABEL: func.func @edges
// CHECK-SAME:    (%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"c", ?}]>}, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"c", ?}]>}) -> (tensor<8x4xf32> {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [result-0]}, {"c" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"c", ?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.add %arg0, %arg1 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [operand-1, result-0]}, {"c" = operand-1 -> [operand-0, result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"c", ?}]>]>} : tensor<8x4xf32>
// CHECK-NEXT:  return %[[v0]] : tensor<8x4xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @edges(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"c", ?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}) {
  %0 = stablehlo.add %x, %y : tensor<8x4xf32>
  func.return %0 : tensor<8x4xf32>
}

// -----

// The parts of an axis, and the whole that they make up.
// CHECK-LABEL: func.func @sub_axes
// CHECK-SAME:    (%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "a", ?}]>}) -> (tensor<8xf32> {sdy.propagation_edges = #sdy.propagation_edges<[{step-2 = [{"a" = operand-0 -> [result-0]}, {"c" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding<@mesh, [{"c", "a", ?}]>}) {
// CHECK-NEXT:  %[[v0:.*]] = stablehlo.reshape %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}, {"c":(1)2 = operand-0 -> [result-0]}, {"c":(2)2 = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c":(1)2, ?}, {"c":(2)2, "a", ?}]>]>} : (tensor<8xf32>) -> tensor<2x4xf32>
// CHECK-NEXT:  %[[v1:.*]] = stablehlo.reshape %[[v0]] {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [result-0]}, {"c":(1)2 = operand-0 -> [result-0]}, {"c":(2)2 = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c", "a", ?}]>]>} : (tensor<2x4xf32>) -> tensor<8xf32>
// CHECK-NEXT:  return %[[v1]] : tensor<8xf32>
// CHECK-NEXT:}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4]>
func.func @sub_axes(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "a", ?}]>}) -> tensor<8xf32> {
  %0 = stablehlo.reshape %x : (tensor<8xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<2x4xf32>) -> tensor<8xf32>
  func.return %1 : tensor<8xf32>
}
