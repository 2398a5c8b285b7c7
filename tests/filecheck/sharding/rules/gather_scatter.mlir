// RUN: xshardy-opt %s -p sdy-populate-op-sharding-rules | filecheck %s

// An embedding: rows are on one device each, so that what the others find is summed up.
// CHECK-LABEL: @rows(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([l, k], [i, j, m])->([i, j, k]) {i=8, j=4, k=16, l=32, m=1} reduction={l} need_replication={m}>
func.func @rows(%x: tensor<32x16xf32>, %i: tensor<8x4x1xi32>) -> tensor<8x4x16xf32> {
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 16>, indices_are_sorted = false}
      : (tensor<32x16xf32>, tensor<8x4x1xi32>) -> tensor<8x4x16xf32>
  return %0 : tensor<8x4x16xf32>
}

// CHECK-LABEL: @scalar_indices(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([k, j], [i])->([i, j]) {i=8, j=16, k=32} reduction={k}>
func.func @scalar_indices(%x: tensor<32x16xf32>, %i: tensor<8xi32>) -> tensor<8x16xf32> {
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 16>, indices_are_sorted = false}
      : (tensor<32x16xf32>, tensor<8xi32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// Of three slice dimensions one is whole, one is a part, and one is a single element.
// CHECK-LABEL: @parts_of_dimensions(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([j, k, l], [i, n])->([i, j, k, m]) {i=4, j=8, k=6, l=5, m=1, n=3} reduction={l} need_replication={k, m, n} blocked_propagation={k}>
func.func @parts_of_dimensions(%x: tensor<8x6x5xf32>, %i: tensor<4x3xi32>) -> tensor<4x8x2x1xf32> {
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3],
      start_index_map = [0, 1, 2], index_vector_dim = 1>, slice_sizes = array<i64: 8, 2, 1>, indices_are_sorted = false}
      : (tensor<8x6x5xf32>, tensor<4x3xi32>) -> tensor<4x8x2x1xf32>
  return %0 : tensor<4x8x2x1xf32>
}

// CHECK-LABEL: @collapsed_size_one(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([k, j], [i, l])->([i, j]) {i=8, j=16, k=1, l=1} need_replication={k, l}>
func.func @collapsed_size_one(%x: tensor<1x16xf32>, %i: tensor<8x1xi32>) -> tensor<8x16xf32> {
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 16>, indices_are_sorted = false}
      : (tensor<1x16xf32>, tensor<8x1xi32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// CHECK-LABEL: @batching_dimensions(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([k, i, l], [m, i, j, k])->([i, j, k, l]) {i=4, j=7, k=5, l=3, m=1} need_replication={m}>
func.func @batching_dimensions(%x: tensor<5x4x3xf32>, %i: tensor<1x4x7x5xi32>) -> tensor<4x7x5x3xf32> {
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [3], operand_batching_dims = [0, 1],
      start_indices_batching_dims = [3, 1], start_index_map = [2], index_vector_dim = 0>,
      slice_sizes = array<i64: 1, 1, 3>, indices_are_sorted = false} : (tensor<5x4x3xf32>, tensor<1x4x7x5xi32>) -> tensor<4x7x5x3xf32>
  return %0 : tensor<4x7x5x3xf32>
}

// CHECK-LABEL: @one_element(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j])->([]) {i=8, j=1} reduction={i} need_replication={j}>
func.func @one_element(%x: tensor<8xf32>, %i: tensor<1xi32>) -> tensor<f32> {
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 1>, indices_are_sorted = false}
      : (tensor<8xf32>, tensor<1xi32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @add_rows(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([k, j], [i, l], [i, j])->([k, j]) {i=8, j=16, k=32, l=1} reduction={i} need_replication={l}>
func.func @add_rows(%x: tensor<32x16xf32>, %i: tensor<8x1xi32>, %u: tensor<8x16xf32>) -> tensor<32x16xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}
      : (tensor<32x16xf32>, tensor<8x1xi32>, tensor<8x16xf32>) -> tensor<32x16xf32>
  return %0 : tensor<32x16xf32>
}

// The last update of an element wins, which devices cannot tell from each other's.
// CHECK-LABEL: @overwrite_rows(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([k, j], [i, l], [i, j])->([k, j]) {i=8, j=16, k=32, l=1} need_replication={i, l}>
func.func @overwrite_rows(%x: tensor<32x16xf32>, %i: tensor<8x1xi32>, %u: tensor<8x16xf32>) -> tensor<32x16xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}
      : (tensor<32x16xf32>, tensor<8x1xi32>, tensor<8x16xf32>) -> tensor<32x16xf32>
  return %0 : tensor<32x16xf32>
}

// CHECK-LABEL: @or_of_booleans(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([j], [i, k], [i])->([j]) {i=8, j=32, k=1} reduction={i} need_replication={k}>
func.func @or_of_booleans(%x: tensor<32xi1>, %i: tensor<8x1xi32>, %u: tensor<8xi1>) -> tensor<32xi1> {
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %1 = stablehlo.or %a, %b : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}
      : (tensor<32xi1>, tensor<8x1xi32>, tensor<8xi1>) -> tensor<32xi1>
  return %0 : tensor<32xi1>
}

// CHECK-LABEL: @or_of_integers(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([j], [i, k], [i])->([j]) {i=8, j=32, k=1} need_replication={i, k}>
func.func @or_of_integers(%x: tensor<32xi32>, %i: tensor<8x1xi32>, %u: tensor<8xi32>) -> tensor<32xi32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.or %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}
      : (tensor<32xi32>, tensor<8x1xi32>, tensor<8xi32>) -> tensor<32xi32>
  return %0 : tensor<32xi32>
}

// CHECK-LABEL: @two_inputs_combined_differently(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([j], [j], [i, k], [i], [i])->([j], [j]) {i=8, j=32, k=1} need_replication={i, k}>
func.func @two_inputs_combined_differently(%x: tensor<32xf32>, %i: tensor<8x1xi32>, %u: tensor<8xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
  %0:2 = "stablehlo.scatter"(%x, %x, %i, %u, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %1 = stablehlo.add %a, %c : tensor<f32>
    %2 = stablehlo.maximum %b, %d : tensor<f32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}
      : (tensor<32xf32>, tensor<32xf32>, tensor<8x1xi32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<32xf32>, tensor<32xf32>)
  return %0#0, %0#1 : tensor<32xf32>, tensor<32xf32>
}

// CHECK-LABEL: @part_of_a_window(
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k, m], [i, j, n], [i, j, l, m])->([i, k, m]) {i=4, j=5, k=8, l=2, m=6, n=1} reduction={j} need_replication={k, l, n}>
func.func @part_of_a_window(%x: tensor<4x8x6xf32>, %i: tensor<4x5x1xi32>, %u: tensor<4x5x2x6xf32>) -> tensor<4x8x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], input_batching_dims = [0],
      scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>,
      indices_are_sorted = false, unique_indices = false}
      : (tensor<4x8x6xf32>, tensor<4x5x1xi32>, tensor<4x5x2x6xf32>) -> tensor<4x8x6xf32>
  return %0 : tensor<4x8x6xf32>
}
