// RUN: xshardy-opt %s -p sdy-populate-op-sharding-rules | filecheck %s

// What is cut off on one side and added on the other moves the elements, although sizes do not show it.
// CHECK-LABEL: @pad_that_shifts(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i], [])->([i]) {i=8} permutation={i}>
func.func @pad_that_shifts(%x: tensor<8xf32>, %p: tensor<f32>) -> tensor<8xf32> {
  %0 = stablehlo.pad %x, %p, low = [1], high = [-1], interior = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
