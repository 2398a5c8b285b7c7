// RUN: xshardy-opt %s -p sdy-constant-or-scalar-splitter --verify-diagnostics | filecheck %s

// CHECK: @f calls itself: the call graph must not have recursion
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
