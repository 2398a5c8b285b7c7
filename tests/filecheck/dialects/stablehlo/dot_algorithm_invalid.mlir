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
