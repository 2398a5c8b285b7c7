// RUN: xshardy-opt %s -p sdy-constant-or-scalar-splitter --verify-diagnostics | filecheck %s

// CHECK: constant_or_scalar_splitter_invalid.mlir:4:1: error: @f calls itself, directly or through others
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
