// RUN: xshardy-opt %s -p sdy-import-func-calls{add-data-flow-edges-on-named-computations=false} 2>&1 | filecheck %s

// The warning says where the second call is.
// CHECK: import_func_calls_options.mlir:12:8: warning: function @twice has multiple call ops, we need to clone the function body for each call
// CHECK-LABEL: func.func @main
// CHECK:         sdy.named_computation<"twice">(%arg0)
// CHECK-NEXT:      sdy.return %arg1
// CHECK:         sdy.named_computation<"twice">(%0)
// CHECK-NEXT:      sdy.return %arg1
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @twice(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @twice(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @twice(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
