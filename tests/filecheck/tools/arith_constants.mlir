// RUN: xshardy run --check --fuse %s | filecheck %s
// RUN: xshardy run --check --on simulated %s | filecheck %s --check-prefix SIMULATED

// XLA takes constants of arith in a program of StableHLO: MLIR's folding writes them.

// CHECK: fused_add {{.*}} agrees
// SIMULATED: tensor<4xf32> {{.*}} agrees
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = stablehlo.add %x, %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}
