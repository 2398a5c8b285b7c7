// RUN: xshardy-opt %s -p xla-gpu-flatten-tensors --verify-diagnostics --split-input-file | filecheck %s

// CHECK: cannot flatten tensor<2x3xf32> in 'tensor.dim': lower this operation first
func.func @meaning_of_shape_unknown(%t: tensor<2x3xf32>) -> index {
  %c1 = arith.constant 1 : index
  %d = tensor.dim %t, %c1 : tensor<2x3xf32>
  return %d : index
}

// -----

// CHECK: cannot flatten 'vector.extract' of a vector<3xf32>: give a position in every dimension
func.func @part_of_a_vector(%v: vector<2x3xf32>) -> vector<3xf32> {
  %e = vector.extract %v[1] : vector<3xf32> from vector<2x3xf32>
  return %e : vector<3xf32>
}

// -----

// CHECK: cannot flatten 'vector.transfer_read' along (d0, d1) -> (d0): access tensor<4x8xf32> along its minor dimension, (d0, d1) -> (d1), without a mask
func.func @across_rows(%t: tensor<4x8xf32>, %i: index) -> vector<2xf32> {
  %pad = arith.constant 0.0 : f32
  %v = vector.transfer_read %t[%i, %i], %pad {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>}
    : tensor<4x8xf32>, vector<2xf32>
  return %v : vector<2xf32>
}

// -----

// CHECK: cannot flatten tensor<2x3xf32, dense<[0, 2]> : tensor<2xi64>>: its encoding is not a layout; write the dimensions from minor to major, as in dense<[1, 0]> : tensor<2xi64>
func.func @no_layout(%t: tensor<2x3xf32, dense<[0, 2]> : tensor<2xi64>>, %i: index) -> f32 {
  %e = tensor.extract %t[%i, %i] : tensor<2x3xf32, dense<[0, 2]> : tensor<2xi64>>
  return %e : f32
}

// -----

// CHECK: cannot flatten tensor<?x3xf32>: only tensors with a static shape have a flat one
func.func @dynamic_shape(%t: tensor<?x3xf32>) {
  return
}

// -----

// CHECK: FlattenTensorsPass failed to converge: a cast from f32 to i32 is left
func.func @dangling_cast(%x: f32) -> i32 {
  %y = builtin.unrealized_conversion_cast %x : f32 to i32
  return %y : i32
}

// -----

// CHECK: cannot flatten tensor<2x3xf32, "columns">: its encoding is not a layout
func.func @encoding_without_numbers(%t: tensor<2x3xf32, "columns">, %i: index) -> f32 {
  %e = tensor.extract %t[%i, %i] : tensor<2x3xf32, "columns">
  return %e : f32
}

// -----

// CHECK: FlattenTensorsPass failed to converge: a cast from complex<f32> to i64 is left
func.func @complex_as_integer(%x: complex<f32>) -> i64 {
  %y = builtin.unrealized_conversion_cast %x : complex<f32> to i64
  return %y : i64
}
