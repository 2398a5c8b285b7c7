// RUN: xshardy-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: expecting symbol from 'i' to 'z'. Received: 'a'
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([a, j], [i, j])->([i, j]) {i=2, j=4}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: expecting integer after 'z_'. Received: 'z_'
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([z_, j], [i, j])->([i, j]) {i=2, j=4}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: expecting positive integer without leading zeros. Received: '01'
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([z_01, j], [i, j])->([i, j]) {i=2, j=4}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: expecting symbol index <=2^63-1. Received: '9223372036854775808'
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([z_9223372036854775808, j], [i, j])->([i, j]) {i=2, j=4}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: Expecting factor index symbol 'i', received: 'j'
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {j=4, i=2}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: Expecting factor index symbol 'j', received: 'k'
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=2, k=4}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: expecting single factor symbol: j
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {ij=2}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: integer value too large
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=2, j=9223372036854775808}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: expected ']'
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i j], [i, j])->([i, j]) {i=2, j=4}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: expected '['
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<()->([i, j]) {i=2, j=4}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: expected '='
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=2, j=4} need_replication{i}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: expected '>'
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=2, j=4} replication={i}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: expected '>'
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=2, j=4} permutation={i} reduction={j}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: expected 'custom'
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=2, j=4}, customized>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: expected '['
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j],) {i=2, j=4}>} : tensor<2x4xf32>
  return
}
