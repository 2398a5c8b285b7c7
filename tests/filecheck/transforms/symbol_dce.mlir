// RUN: xshardy-opt %s -p symbol-dce | filecheck %s

// CHECK: func.func @main
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @called(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @target(%0) {called_computations = [@in_a_list]} : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
// CHECK: func.func private @called
func.func private @called(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @called_in_called(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK: func.func private @called_in_called
func.func private @called_in_called(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
// CHECK: func.func private @in_a_list
func.func private @in_a_list(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
// CHECK: func.func @public
func.func @public(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
// A cycle that nothing reaches is dead.
// CHECK-NOT: func.func
func.func private @dead(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @dead_too(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func nested @dead_too(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @dead(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
