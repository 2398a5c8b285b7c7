// RUN: xshardy-opt %s -p sdy-basic-propagate --split-input-file --verify-diagnostics | filecheck %s

// Tensors must have a static shape; the module is not changed.
// CHECK: Shardy propagation only supports ranked tensors with a static shape. type: 'tensor<?x4xf32>'
sdy.mesh @mesh = <["a"=2]>
func.func @dynamic_shape(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.negate %x : tensor<?x4xf32>
  func.return %0 : tensor<?x4xf32>
}

// -----

// CHECK: Shardy propagation doesn't support tuples: 'tuple<tensor<4xf32>>'; give several results in place of the tuple
sdy.mesh @mesh = <["a"=2]>
func.func @tuple(%x: tensor<4xf32>) -> tuple<tensor<4xf32>> {
  %0 = stablehlo.tuple %x : tuple<tensor<4xf32>>
  func.return %0 : tuple<tensor<4xf32>>
}

// -----

// A sharding propagates to the result of a collective, as in C++ Shardy, and its verifier tells.
// CHECK: 'sdy.all_gather' op result sharding doesn't match expected sharding [] on dimension 1
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @result_of_collective(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) -> tensor<8x8xf32> {
  %0 = sdy.all_gather [{"a"}, {}] %x out_sharding=<@mesh, [{}, {?}]> : tensor<8x8xf32>
  %1 = stablehlo.add %0, %y : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
