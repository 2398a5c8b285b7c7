// RUN: xshardy-opt %s -p sdy-populate-op-sharding-rules --split-input-file --verify-diagnostics | filecheck %s

// CHECK: 'stablehlo.add' op operand 0 - expected a ranked tensor with a static shape. type: 'tensor<?x4xf32>'
func.func @unknown_size(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.add %x, %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// CHECK: 'stablehlo.custom_call' op operand 1 - expected a ranked tensor with a static shape. type: 'tuple<tensor<4xf32>>'
func.func @tuple(%x: tensor<8xf32>, %y: tuple<tensor<4xf32>>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @MoveToHost(%x, %y) : (tensor<8xf32>, tuple<tensor<4xf32>>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A rule of the user's own that does not fit.
// CHECK: 'stablehlo.negate' op operand - mapping rank must match: 2 != 1
func.func @wrong_rank(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
