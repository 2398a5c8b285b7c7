// RUN: xshardy-opt %s -p xla-sdy-import-shardings --split-input-file --verify-diagnostics | filecheck %s

func.func @unknown_axis(%x: tensor<8xf32>) {
  // CHECK: invalid.mlir:5:8: error: mhlo.sharding is no sharding: the mesh has no axis 'b': its axes are 'a', at position 16 of the sharding: {mesh['a'=2], [{'b'}]}
  %0 = stablehlo.negate %x {mhlo.sharding = "{mesh['a'=2], [{'b'}]}"} : tensor<8xf32>
  return
}

// -----

func.func @other_rank(%x: tensor<8xf32>) {
  // CHECK: invalid.mlir:13:8: error: the sharding {mesh['a'=2], [{'a'}, {}]} has 2 dimensions, and its value has 1
  %0 = stablehlo.negate %x {mhlo.sharding = "{mesh['a'=2], [{'a'}, {}]}"} : tensor<8xf32>
  return
}

// -----

func.func @other_rank_of_replicated(%x: tensor<8xf32>) {
  // CHECK: invalid.mlir:21:8: error: the sharding {mesh['a'=2], [{}, {}]} has 2 dimensions, and its value has 1
  %0 = stablehlo.negate %x {mhlo.sharding = "{mesh['a'=2], [{}, {}]}"} : tensor<8xf32>
  return
}
