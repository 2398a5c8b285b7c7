// RUN: xshardy-opt %s -p sdy-pre-order-funcs | filecheck %s

// CHECK: func.func @main
// CHECK: func.func private @caller
// CHECK: func.func private @callee
func.func private @callee(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
func.func private @caller(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @callee(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @caller(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
