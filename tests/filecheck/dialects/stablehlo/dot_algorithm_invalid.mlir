// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: must specify DEFAULT precision config when algorithm is set.
func.func @algorithm_and_precision(%m: tensor<2x3xf32>, %n: tensor<3x4xf32>) {
  %0 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

// CHECK: dot algorithm not known to be supported on any hardware: {lhs:'tf32', rhs:'tf32', accum:'f32', lhs_components:1, rhs_components:1, primitive_ops:4, imprecise:0}
func.func @unknown_algorithm() attributes {a = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 4, allow_imprecise_accumulation = false>} {
  func.return
}

// -----

// CHECK: lhs component count must be positive
func.func @component_count() attributes {a = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} {
  func.return
}

// -----

// CHECK: expects precision config to be empty or have <= 2 elements
func.func @three_precisions(%a: tensor<2x2xf32>) {
  %0 = "stablehlo.dot_general"(%a, %a) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

// CHECK: lhs_contracting_dimensions value: 2 is out of range: [0, 2)
func.func @no_such_dimension(%a: tensor<2x2xf32>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [2] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

// CHECK: lhs_batching_dimensions value: -1 is out of range: [0, 2)
func.func @no_such_batching_dimension(%a: tensor<2x2xf32>) {
  %0 = stablehlo.dot_general %a, %a, batching_dims = [-1] x [0], contracting_dims = [1] x [1] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

// CHECK: dot algorithm not known to be supported on any hardware: {lhs:'f32', rhs:'f32', accum:'f32', lhs_components:2, rhs_components:1, primitive_ops:1, imprecise:0}
func.func @two_components(%a: tensor<2x2xf32>) {
  %0 = "stablehlo.dot_general"(%a, %a) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 2, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  func.return
}
