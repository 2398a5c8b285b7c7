// RUN: xshardy-opt %s -p sdy-flatten-call-graph | filecheck %s

// Every call but the first calls a copy; a copy of a function calls copies of what that calls.
// CHECK-LABEL: func.func @main
// CHECK:         call @outer(
// CHECK:         call @outer_1(
// CHECK:         call @once(
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @outer(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @outer(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = func.call @once(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
// CHECK-LABEL: func.func private @outer(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "root"} {
// CHECK:         call @inner(
func.func private @outer(%x: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "root"} {
  %0 = func.call @inner(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK-LABEL: func.func private @inner(%arg0: tensor<8xf32>) -> tensor<8xf32> {
func.func private @inner(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
// A single call keeps its callee.
// CHECK-LABEL: func.func private @once(%arg0: tensor<8xf32>) -> tensor<8xf32> {
func.func private @once(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
// A copy of a copy has the name of the first original.
// CHECK-LABEL: func.func private @inner_0
// CHECK-SAME:    attributes {sdy.original_func_name = "inner"}
// CHECK-LABEL: func.func private @outer_1
// CHECK-SAME:    attributes {sdy.original_func_name = "root"}
// CHECK:         call @inner_0(
