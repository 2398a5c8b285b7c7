// RUN: xshardy-opt %s -p sdy-basic-propagate --split-input-file --verify-diagnostics | filecheck %s

// Tensors must have a static shape; the module is not changed.
// CHECK: Shardy propagation only supports ranked tensors with a static shape. type: 'tensor<?x4xf32>'
sdy.mesh @mesh = <["a"=2]>
func.func @dynamic_shape(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.negate %x : tensor<?x4xf32>
  func.return %0 : tensor<?x4xf32>
}

// -----

// CHECK: Shardy propagation doesn't support tuples: 'tuple<tensor<4xf32>>'
sdy.mesh @mesh = <["a"=2]>
func.func @tuple(%x: tensor<4xf32>) -> tuple<tensor<4xf32>> {
  %0 = stablehlo.tuple %x : tuple<tensor<4xf32>>
  func.return %0 : tuple<tensor<4xf32>>
}
