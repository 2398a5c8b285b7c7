// RUN: xshardy-opt %s -p 'sdy-add-data-flow-edges,sdy-aggressive-propagate{debug-propagation-edge-sharding=true}' | filecheck %s

// One axis from two sources in a step: operands come before results.
// CHECK-LABEL: func.func @one_axis_from_two_sources
// CHECK-NEXT:  stablehlo.custom_call @foo(%arg0, %arg1, %arg2) {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"x" = operand-1 -> [operand-2]}, {"x" = result-0 -> [operand-0]}]}]>
sdy.mesh @mesh = <["x"=2]>
func.func @one_axis_from_two_sources(%a: tensor<8xf32>, %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %c: tensor<4xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @foo(%a, %b, %c) {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j], [j])->([i]) {i=8, j=4}, custom>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
