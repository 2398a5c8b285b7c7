// RUN: xshardy-opt %s -p xla-sdy-round-trip-export-ops --split-input-file --verify-diagnostics | filecheck %s
// RUN: xshardy-opt %s -p xla-sdy-round-trip-export-pipeline --split-input-file --verify-diagnostics | filecheck %s

sdy.mesh @mesh = <["a"=2]>

func.func @reshard(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: error: HLO cannot carry 'sdy.reshard', which propagation or partitioning inserts: export the module before them, or turn named computations into calls with sdy-export-named-computations
  %0 = sdy.reshard %x <@mesh, [{"a"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @named_computation(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: error: HLO cannot carry 'sdy.named_computation'
  %0 = sdy.named_computation<"f">(%x) (%y: tensor<8xf32>) {
    sdy.return %y : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
