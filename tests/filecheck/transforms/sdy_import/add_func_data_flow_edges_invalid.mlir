// RUN: xshardy-opt %s -p sdy-add-func-data-flow-edges --verify-diagnostics | filecheck %s

// CHECK: error: pass 'sdy-add-func-data-flow-edges': the module has 2 functions and none of them is @main: rename the one that starts
func.func @first(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
func.func @second(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
