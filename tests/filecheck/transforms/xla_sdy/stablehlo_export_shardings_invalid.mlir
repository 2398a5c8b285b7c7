// RUN: xshardy-opt %s -p xla-sdy-stablehlo-export-shardings --split-input-file --verify-diagnostics | filecheck %s

sdy.mesh @mesh = <["a"=2]>

func.func @operation_of_sdy(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: error: HLO has no 'sdy.sharding_constraint': export operations of sdy before shardings
  %0 = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
