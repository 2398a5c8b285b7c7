// RUN: xshardy-opt %s -p sdy-add-data-flow-edges | filecheck %s

sdy.mesh @mesh = <["a"=2]>

// The results of a case own its edges, each with its own sharding; what only branches compute does not.
// CHECK-LABEL: func.func @branches
// CHECK:         [[C:%.*]]:2 = "stablehlo.case"(%arg0) ({
// CHECK-NOT:       sdy.data_flow_edge
// CHECK:         }) {sdy.sharding
// CHECK-NEXT:    [[E0:%.*]] = sdy.data_flow_edge [[C]]#0 sharding=<@mesh, [{"a"}]>
// CHECK-NEXT:    [[E1:%.*]] = sdy.data_flow_edge [[C]]#1 sharding=<@mesh, [{?}]>
// CHECK-NEXT:    return [[E0]], [[E1]]
func.func @branches(%p: tensor<i32>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = "stablehlo.case"(%p) ({
    stablehlo.return %x, %x : tensor<8xf32>, tensor<8xf32>
  }, {
    %1 = stablehlo.negate %x : tensor<8xf32>
    stablehlo.return %1, %x : tensor<8xf32>, tensor<8xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{?}]>]>} : (tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}
