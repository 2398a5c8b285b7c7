// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: should have a propagation edges attribute of type PropagationEdgesAttr for attr named 'sdy.propagation_edges'
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.tanh %x {sdy.propagation_edges = 1 : i32} : tensor<8xf32>
  return
}

// -----

// CHECK: expected propagation edges attr to reference a sharding.
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8xf32> ) {
  %0 = stablehlo.tanh %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}

// -----

// CHECK: expected axis ref to be in one of the meshes
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.tanh %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"q" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}

// -----

// CHECK: expected a value ref to have an operand index in range [0, 1), got: 1
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.tanh %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [operand-1]}]}]>} : tensor<8xf32>
  return
}

// -----

// CHECK: expected a value ref to have a result index in range [0, 1), got: 3
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.tanh %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-3]}]}]>} : tensor<8xf32>
  return
}

// -----

// CHECK: expected a value ref to have an operand index in range [0, 1), got: -1
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.tanh %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [operand--1]}]}]>} : tensor<8xf32>
  return
}

// -----

// CHECK: should have a propagation edges attribute of type ArrayAttr<PropagationEdgesAttr> for attr named 'sdy.result_propagation_edges' or 'sdy.block_arg_propagation_edges'
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8xf32>) {
  %0 = stablehlo.tanh %x {sdy.result_propagation_edges = [1 : i32]} : tensor<8xf32>
  return
}

// -----

// CHECK: expected a common mesh for propagation edges attr.
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
sdy.mesh @other = <["a"=8]>
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[<@other, [{"a"}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [result-0]}]}]>} : tensor<8xf32>
  return
}
