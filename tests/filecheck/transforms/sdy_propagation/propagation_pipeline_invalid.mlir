// RUN: xshardy-opt %s -p sdy-propagation-pipeline --split-input-file --verify-diagnostics | filecheck %s

// CHECK: error: pass 'sdy-propagation-pipeline': the module has 2 functions and none of them is @main: rename the one that starts
func.func @first(%x: tensor<8xf32>) -> tensor<8xf32> {
  func.return %x : tensor<8xf32>
}
func.func @second(%x: tensor<8xf32>) -> tensor<8xf32> {
  func.return %x : tensor<8xf32>
}

// -----

// CHECK: error: @recursive calls itself, directly or through others
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @recursive(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
func.func private @recursive(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @recursive(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
