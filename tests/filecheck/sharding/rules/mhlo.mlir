// RUN: xshardy-opt %s -p sdy-populate-op-sharding-rules | filecheck %s

// CHECK-LABEL: func.func @copy
// CHECK:         mhlo.copy {{.*}}#sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
func.func @copy(%x: tensor<4x8xf32>) {
  %0 = mhlo.copy %x : tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @topk
// CHECK:         k=3) {{.*}}<([i, j])->([i, j], [i, j]) {i=2, j=10} need_replication={j} blocked_propagation={j}>
// CHECK:         k=10) {{.*}}<([i, j])->([i, j], [i, j]) {i=2, j=10}>
func.func @topk(%x: tensor<2x10xf32>) {
  %0:2 = mhlo.topk(%x, k=3) : tensor<2x10xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  %1:2 = mhlo.topk(%x, k=10) : tensor<2x10xf32> -> (tensor<2x10xf32>, tensor<2x10xi32>)
  return
}

// A row belongs to one group: rows and groups are replicated. The rows before the ragged ones have their own groups.
// CHECK-LABEL: func.func @ragged_rows
// CHECK:         <([i, j, k, m], [n, i, m, l], [i, j, n])->([i, j, k, l]) {i=2, j=4, k=8, l=7, m=5, n=3} reduction={m} need_replication={k, n}>
func.func @ragged_rows(%lhs: tensor<2x4x8x5xf32>, %rhs: tensor<3x2x5x7xf32>, %sizes: tensor<2x4x3xi64>) {
  %0 = "mhlo.ragged_dot"(%lhs, %rhs, %sizes) <{ragged_dot_dimension_numbers = #mhlo.ragged_dot<dot_dimension_numbers = #mhlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [2]>, lhs_ragged_dimensions = [2], rhs_group_dimensions = [0]>}> : (tensor<2x4x8x5xf32>, tensor<3x2x5x7xf32>, tensor<2x4x3xi64>) -> tensor<2x4x8x7xf32>
  return
}

// A vector of sizes is the same for all batches.
// CHECK-LABEL: func.func @ragged_rows_same_groups
// CHECK:         <([i, j, l], [m, i, l, k], [m])->([i, j, k]) {i=2, j=8, k=7, l=5, m=3} reduction={l} need_replication={j, m}>
func.func @ragged_rows_same_groups(%lhs: tensor<2x8x5xf32>, %rhs: tensor<3x2x5x7xf32>, %sizes: tensor<3xi64>) {
  %0 = "mhlo.ragged_dot"(%lhs, %rhs, %sizes) <{ragged_dot_dimension_numbers = #mhlo.ragged_dot<dot_dimension_numbers = #mhlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2]>, lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<2x8x5xf32>, tensor<3x2x5x7xf32>, tensor<3xi64>) -> tensor<2x8x7xf32>
  return
}

// CHECK-LABEL: func.func @ragged_summands
// CHECK:         <([i, j, l, m], [i, l, m, k], [i, l, n])->([n, i, j, k]) {i=2, j=8, k=7, l=4, m=5, n=3} reduction={l} need_replication={m, n}>
func.func @ragged_summands(%lhs: tensor<2x8x4x5xf32>, %rhs: tensor<2x4x5x7xf32>, %sizes: tensor<2x4x3xi64>) {
  %0 = "mhlo.ragged_dot"(%lhs, %rhs, %sizes) <{ragged_dot_dimension_numbers = #mhlo.ragged_dot<dot_dimension_numbers = #mhlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2, 3], rhs_contracting_dimensions = [1, 2]>, lhs_ragged_dimensions = [3]>}> : (tensor<2x8x4x5xf32>, tensor<2x4x5x7xf32>, tensor<2x4x3xi64>) -> tensor<3x2x8x7xf32>
  return
}

// CHECK-LABEL: func.func @ragged_batches
// CHECK:         <([i, j, l], [i, l, k], [m])->([i, j, k]) {i=6, j=8, k=7, l=5, m=1} reduction={l}>
func.func @ragged_batches(%lhs: tensor<6x8x5xf32>, %rhs: tensor<6x5x7xf32>, %sizes: tensor<3xi64>) {
  %0 = "mhlo.ragged_dot"(%lhs, %rhs, %sizes) <{ragged_dot_dimension_numbers = #mhlo.ragged_dot<dot_dimension_numbers = #mhlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, lhs_ragged_dimensions = [0]>}> : (tensor<6x8x5xf32>, tensor<6x5x7xf32>, tensor<3xi64>) -> tensor<6x8x7xf32>
  return
}
