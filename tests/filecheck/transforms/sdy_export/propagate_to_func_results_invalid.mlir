// RUN: xshardy-opt %s -p sdy-propagate-to-func-results --verify-diagnostics | filecheck %s

// CHECK: error: pass 'sdy-propagate-to-func-results': the module has 2 functions and none of them is @main: rename the one that starts
func.func @first(%x: tensor<8xf32>) -> tensor<8xf32> {
  func.return %x : tensor<8xf32>
}
func.func @second(%x: tensor<8xf32>) -> tensor<8xf32> {
  func.return %x : tensor<8xf32>
}
