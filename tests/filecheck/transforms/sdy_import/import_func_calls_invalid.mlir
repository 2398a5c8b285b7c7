// RUN: xshardy-opt %s -p sdy-import-func-calls --split-input-file --verify-diagnostics | filecheck %s

// CHECK: import_func_calls_invalid.mlir:5:8: error: 'func.call' op calls @declared, which is declared without a body: give it one
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @declared(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @declared(tensor<8xf32>) -> tensor<8xf32>

// -----

// CHECK: import_func_calls_invalid.mlir:13:1: error: @recursive calls itself
func.func private @recursive(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @recursive(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
