// RUN: xshardy-opt %s -p sdy-flatten-call-graph --verify-diagnostics | filecheck %s

// CHECK: flatten_call_graph_invalid.mlir:5:1: error: @ping calls itself, directly or through others
// CHECK-SAME: write it as a loop
func.func private @ping(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @pong(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @pong(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @ping(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
