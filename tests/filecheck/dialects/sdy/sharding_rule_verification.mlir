// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: should have a sharding rule attribute of type OpShardingRuleAttr for attr named 'sdy.sharding_rule'
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<mesh<[]>, [{}, {}]>]>, sdy.sharding_rule = 1 : i64} : tensor<2x4xf32>
  return
}

// -----

// CHECK: number of operands and mappings must match: 2 != 1
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=2, j=4}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: number of results and mappings must match: 1 != 2
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j], [i, j]) {i=2, j=4}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: operand 0 - expected a ranked tensor with a static shape. type: 'tensor<?x4xf32>'
func.func @f(%x: tensor<?x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=2, j=4}>} : tensor<?x4xf32>
  return
}

// -----

// CHECK: operand 1 - mapping rank must match: 1 != 2
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i])->([i, j]) {i=2, j=4}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: result - mapping rank must match: 3 != 2
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j, k]) {i=2, j=4, k=1}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: operand 0 - dim mapping must have at least one factor
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([*, j], [i, j])->([i, j]) {i=2, j=4}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: operand 0 - dim mapping must have at least one factor
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([, j], [i, j])->([i, j]) {i=2, j=4}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: operand 1 - expecting factor indices to be within 0<=...<num_factors; received: 2, num_factors: 2
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k])->([i, j]) {i=2, j=4}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: operand 0 - cannot reuse factors for the same tensor value
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, i], [i, j])->([i, j]) {i=2, j=4}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: operand 0 - dim mapping can't have a factor of size 1 if there are multiple factors
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([ik, j], [i, j])->([i, j]) {i=2, j=4, k=1}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: has factor k=3 that isn't used in operand and result mappings
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=2, j=4, k=3}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: indices of special factors must be sorted
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=2, j=4} need_replication={j, i}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: indices of special factors must be unique
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=2, j=4} permutation={i, i}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: index must be less than 2, got: 2
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=2, j=4} need_replication={k}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: a factor can only be in one of the reduction, need replication, or permutation factor sets
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=2, j=4} need_replication={i} permutation={i}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: reduction factor cannot be in result mappings
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=2, j=4} reduction={i}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: indices of special factors must be sorted
func.func @f(%x: tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=2, j=4} blocked_propagation={j, i}>} : tensor<2x4xf32>
  return
}

// -----

// CHECK: number of results and mappings must match: 0 != 1
func.func @no_results(%x: tensor<2xf32>) {
  sdy.sharding_group %x group_id=1 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=2}>} : tensor<2xf32>
  return
}
