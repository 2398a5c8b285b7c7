// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: start indices must have same element type
func.func @index_types(%x: tensor<4x2xi16>, %i: tensor<i32>, %j: tensor<i64>) {
  %0 = "stablehlo.dynamic_slice"(%x, %i, %j) {slice_sizes = array<i64: 1, 1>} : (tensor<4x2xi16>, tensor<i32>, tensor<i64>) -> tensor<1x1xi16>
  func.return
}

// -----

// CHECK: has mismatched number of start indices (1) and the rank of operand (2)
func.func @number_of_indices(%x: tensor<4x2xi16>, %i: tensor<i32>) {
  %0 = "stablehlo.dynamic_slice"(%x, %i) {slice_sizes = array<i64: 1>} : (tensor<4x2xi16>, tensor<i32>) -> tensor<1x1xi16>
  func.return
}

// -----

// CHECK: has negative size index to dynamic slice: -1
func.func @negative_size(%x: tensor<4x2xi16>, %i: tensor<i32>) {
  %0 = "stablehlo.dynamic_slice"(%x, %i, %i) {slice_sizes = array<i64: 1, -1>} : (tensor<4x2xi16>, tensor<i32>, tensor<i32>) -> tensor<1x1xi16>
  func.return
}

// -----

// CHECK: expects number of start_indices to match operand rank: 1 vs 2.
func.func @number_of_update_indices(%x: tensor<4x2xi16>, %u: tensor<1x1xi16>, %i: tensor<i32>) {
  %0 = "stablehlo.dynamic_update_slice"(%x, %u, %i) : (tensor<4x2xi16>, tensor<1x1xi16>, tensor<i32>) -> tensor<4x2xi16>
  func.return
}
