// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

func.func @elementwise(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: stablehlo.add %{{[^ ,)]+}}, %{{[^ ,)]+}} {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
  // GENERIC: "stablehlo.add"(%{{[^ ,)]+}}, %{{[^ ,)]+}}) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8}>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @scalar(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: stablehlo.tanh %{{[^ ,)]+}} {sdy.sharding_rule = #sdy.op_sharding_rule<([])->([])>} : tensor<f32>
  // GENERIC: "stablehlo.tanh"(%{{[^ ,)]+}}) {sdy.sharding_rule = #sdy.op_sharding_rule<([])->([])>} : (tensor<f32>) -> tensor<f32>
  %0 = stablehlo.tanh %x {sdy.sharding_rule = #sdy.op_sharding_rule<([])->([])>} : tensor<f32>
  return %0 : tensor<f32>
}
func.func @compound_dimension(%x: tensor<2x4xf32>) -> tensor<8xf32> {
  // CHECK: stablehlo.reshape %{{[^ ,)]+}} {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([ij]) {i=2, j=4}>} : (tensor<2x4xf32>) -> tensor<8xf32>
  // GENERIC: "stablehlo.reshape"(%{{[^ ,)]+}}) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([ij]) {i=2, j=4}>} : (tensor<2x4xf32>) -> tensor<8xf32>
  %0 = stablehlo.reshape %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([ij]) {i=2, j=4}>} : (tensor<2x4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @reduction(%x: tensor<8x4xf32>, %y: tensor<4x2xf32>) -> tensor<8x2xf32> {
  // CHECK: stablehlo.dot_general %{{[^ ,)]+}}, %{{[^ ,)]+}}, contracting_dims = [1] x [0] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=2, k=4} reduction={k}>} : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  // GENERIC: "stablehlo.dot_general"(%{{[^ ,)]+}}, %{{[^ ,)]+}}) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=2, k=4} reduction={k}>} : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=2, k=4} reduction={k}>} : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}
func.func @every_group_and_custom(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  // CHECK: stablehlo.add %{{[^ ,)]+}}, %{{[^ ,)]+}} {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, k])->([i, j, k]) {i=2, j=3, k=4, l=3} reduction={l} need_replication={i} permutation={j, k} blocked_propagation={i, k}, custom>} : tensor<2x3x4xf32>
  // GENERIC: "stablehlo.add"(%{{[^ ,)]+}}, %{{[^ ,)]+}}) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, k])->([i, j, k]) {i=2, j=3, k=4, l=3} reduction={l} need_replication={i} permutation={j, k} blocked_propagation={i, k}, custom>} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %0 = stablehlo.add %x, %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, k])->([i, j, k]) {i=2, j=3, k=4, l=3} reduction={l} need_replication={i} permutation={j, k} blocked_propagation={i, k}, custom>} : tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
// After z come z_1, z_2, ...
func.func @many_factors(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x6xf32> {
  // CHECK: stablehlo.reshape %{{[^ ,)]+}} {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1, z_2])->([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1z_2]) {i=1, j=1, k=1, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1, t=1, u=1, v=1, w=1, x=1, y=1, z=1, z_1=2, z_2=3}>} : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x6xf32>
  // GENERIC: "stablehlo.reshape"(%{{[^ ,)]+}}) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1, z_2])->([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1z_2]) {i=1, j=1, k=1, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1, t=1, u=1, v=1, w=1, x=1, y=1, z=1, z_1=2, z_2=3}>} : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x6xf32>
  %0 = stablehlo.reshape %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1, z_2])->([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, z_1z_2]) {i=1, j=1, k=1, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1, t=1, u=1, v=1, w=1, x=1, y=1, z=1, z_1=2, z_2=3}>} : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2x3xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x6xf32>
  return %0 : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x6xf32>
}
