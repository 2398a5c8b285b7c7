// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=4]>

func.func @one_step(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  // CHECK: stablehlo.tanh %{{[^ ,)]+}} {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  // GENERIC: "stablehlo.tanh"(%{{[^ ,)]+}}) {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = stablehlo.tanh %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @several_steps_and_axes(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: stablehlo.add %{{[^ ,)]+}}, %{{[^ ,)]+}} {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [operand-1, result-0]}, {"b":(1)2 = result-0 -> [operand-1]}]}, {step-4 = [{"b":(2)2 = result-0 -> [operand-0]}]}]>} : tensor<8x8xf32>
  // GENERIC: "stablehlo.add"(%{{[^ ,)]+}}, %{{[^ ,)]+}}) {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [operand-1, result-0]}, {"b":(1)2 = result-0 -> [operand-1]}]}, {step-4 = [{"b":(2)2 = result-0 -> [operand-0]}]}]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = stablehlo.add %x, %y {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [operand-1, result-0]}, {"b":(1)2 = result-0 -> [operand-1]}]}, {step-4 = [{"b":(2)2 = result-0 -> [operand-0]}]}]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @per_result_and_block_argument(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: stablehlo.tanh %{{[^ ,)]+}} {sdy.block_arg_propagation_edges = [], sdy.result_propagation_edges = [#sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>]} : tensor<8xf32>
  // GENERIC: "stablehlo.tanh"(%{{[^ ,)]+}}) {sdy.block_arg_propagation_edges = [], sdy.result_propagation_edges = [#sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>]} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = stablehlo.tanh %x {sdy.block_arg_propagation_edges = [], sdy.result_propagation_edges = [#sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>]} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
