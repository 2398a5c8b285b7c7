// RUN: xshardy-opt %s | filecheck %s

// Inputs are read, and outputs are read after they are written.
// CHECK-LABEL: @read_what_was_written
func.func @read_what_was_written(%in: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> attributes {xla.entry} {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %in[%c0] : tensor<4xf32>
  %1 = tensor.insert %0 into %out[%c0] : tensor<4xf32>
  %2 = tensor.extract %1[%c0] : tensor<4xf32>
  %3 = tensor.insert %2 into %1[%c0] : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// An output in the buffer of an input has its elements.
// CHECK-LABEL: @in_place
func.func @in_place(%in: tensor<4xf32> {xla.slice_index = 0}, %out: tensor<4xf32> {xla.slice_index = 0}) -> tensor<4xf32> attributes {xla.entry} {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %out[%c0] : tensor<4xf32>
  %1 = tensor.insert %0 into %out[%c0] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A function that is not a kernel takes tensors to read.
// CHECK-LABEL: @not_a_kernel
func.func @not_a_kernel(%t: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %t[%c0] : tensor<4xf32>
  %1 = tensor.insert %0 into %t[%c0] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A kernel of another signature has no arguments for its results.
// CHECK-LABEL: @of_another_signature
func.func @of_another_signature(%t: tensor<4xf32>) -> f32 attributes {xla.entry} {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %t[%c0] : tensor<4xf32>
  return %0 : f32
}
