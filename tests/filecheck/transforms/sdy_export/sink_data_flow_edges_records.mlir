// RUN: xshardy-opt %s -p "sdy-sink-data-flow-edges{sink-debug-sharding-origins=true sink-debug-propagation-edge-sharding=true}" | filecheck %s

sdy.mesh @mesh = <["a"=2]>

// CHECK-LABEL: @records(
// CHECK: stablehlo.optimization_barrier {sdy.block_arg_propagation_edges = [], sdy.block_arg_sharding_origins = [],
// CHECK-SAME: sdy.result_propagation_edges = [#sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>],
// CHECK-SAME: sdy.result_sharding_origins = [{a = "input: 0"}], sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} %arg0
func.func @records(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier %x : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"a"}]> {sdy.sharding_origins = {a = "input: 0"},
      sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}
