// RUN: xshardy-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: propagation edges have negative step index: -1
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.tanh %x {sdy.propagation_edges = #sdy.propagation_edges<[{step--1 = [{"a" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}

// -----

// CHECK: propagation edges have duplicate step index: 2
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.tanh %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-2 = [{"a" = operand-0 -> [result-0]}]}, {step-2 = [{"b" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}

// -----

// CHECK: propagation edges have a source that is the same as a target
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.tanh %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [operand-0]}]}]>} : tensor<8xf32>
  return
}

// -----

// CHECK: propagation edges have duplicate targets for step index: 0 and axis: a
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.tanh %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0, result-0]}]}]>} : tensor<8xf32>
  return
}

// -----

// CHECK: expected ::mlir::sdy::EdgeNodeType to be one of: operand, result
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.tanh %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = input-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}

// -----

// CHECK: integer value too large
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.tanh %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-1180591620717411303424 -> [result-0]}]}]>} : tensor<8xf32>
  return
}
