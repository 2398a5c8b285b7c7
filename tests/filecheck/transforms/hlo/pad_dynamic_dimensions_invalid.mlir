// RUN: xshardy-opt %s -p hlo-pad-dynamic-dimensions --split-input-file --verify-diagnostics | filecheck %s

// CHECK: stablehlo.slice on tensors with dynamic dimensions cannot be padded: it takes a part of a dynamic dimension, which may not have these elements
func.func @part(%x: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<2xf32> {
  %0 = stablehlo.slice %x [0:2] : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// CHECK: stablehlo.reshape on tensors with dynamic dimensions cannot be padded: a dynamic dimension is not the outermost of those that it is merged with or split into
func.func @inner(%x: tensor<4x?xf32, #stablehlo.bounds<?, 8>>) -> tensor<?xf32, #stablehlo.bounds<32>> {
  %0 = stablehlo.reshape %x : (tensor<4x?xf32, #stablehlo.bounds<?, 8>>) -> tensor<?xf32, #stablehlo.bounds<32>>
  return %0 : tensor<?xf32, #stablehlo.bounds<32>>
}

// -----

// CHECK: stablehlo.exponential on tensors with dynamic dimensions cannot be padded: a dynamic dimension has no bound
func.func @unbounded(%x: tensor<8xf32>, %s: tensor<1xi32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.constant dense<0.0> : tensor<8xf32>
  %1 = stablehlo.exponential %0 : (tensor<8xf32>) -> tensor<?xf32>
  return %zero : tensor<f32>
}

// -----

// CHECK: stablehlo.custom_call on tensors with dynamic dimensions cannot be padded: what @mine does with sizes is not known
func.func @unknown(%x: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<f32> {
  %0 = stablehlo.custom_call @mine(%x) : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// CHECK: stablehlo.cholesky on tensors with dynamic dimensions cannot be padded: there is no rule for it
func.func @no_rule(%x: tensor<?x4x4xf32, #stablehlo.bounds<8, ?, ?>>) -> tensor<?x4x4xf32, #stablehlo.bounds<8, ?, ?>> {
  %0 = stablehlo.cholesky %x, lower = true : tensor<?x4x4xf32, #stablehlo.bounds<8, ?, ?>>
  return %0 : tensor<?x4x4xf32, #stablehlo.bounds<8, ?, ?>>
}

// -----

// CHECK: stablehlo.set_dimension_size on tensors with dynamic dimensions cannot be padded: the size 6 is not between 0 and 3, the size of the operand
func.func @grows(%x: tensor<8xf32>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %three = stablehlo.constant dense<3> : tensor<i32>
  %six = stablehlo.constant dense<6> : tensor<i32>
  %0 = stablehlo.set_dimension_size %x, %three, dim = 0 : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  %1 = stablehlo.exponential %0 : tensor<?xf32, #stablehlo.bounds<8>>
  %2 = stablehlo.set_dimension_size %1, %six, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  return %2 : tensor<?xf32, #stablehlo.bounds<8>>
}

// -----

// CHECK: the size 9 is not between 0 and 8, the size of the operand
func.func @beyond_the_bound(%x: tensor<8xf32>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %nine = stablehlo.constant dense<9> : tensor<i32>
  %0 = stablehlo.set_dimension_size %x, %nine, dim = 0 : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  return %0 : tensor<?xf32, #stablehlo.bounds<8>>
}

// -----

// Dimensions have sizes of their own, and a dimension may become smaller, or static: there is no complaint.
// CHECK-NOT: cannot be padded
// CHECK-LABEL: func.func @smaller
func.func @smaller(%x: tensor<8x4xf32>) -> tensor<8x?xf32, #stablehlo.bounds<?, 4>> {
  %three = stablehlo.constant dense<3> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.set_dimension_size %x, %three, dim = 1 : (tensor<8x4xf32>, tensor<i32>) -> tensor<8x?xf32, #stablehlo.bounds<?, 4>>
  %1 = stablehlo.set_dimension_size %0, %two, dim = 1 : (tensor<8x?xf32, #stablehlo.bounds<?, 4>>, tensor<i32>) -> tensor<8x?xf32, #stablehlo.bounds<?, 4>>
  return %1 : tensor<8x?xf32, #stablehlo.bounds<?, 4>>
}

// -----

// CHECK: stablehlo.dynamic_update_slice on tensors with dynamic dimensions cannot be padded: its update is dynamic
func.func @dynamic_update(%x: tensor<8xf32>, %u: tensor<?xf32, #stablehlo.bounds<8>>, %i: tensor<i32>) -> tensor<8xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<8xf32>, tensor<?xf32, #stablehlo.bounds<8>>, tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK: stablehlo.broadcast_in_dim on tensors with dynamic dimensions cannot be padded: a dimension is dynamic in its operand or its result only
func.func @made_static(%x: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<4x8xf32> {
  %0 = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 1>}> : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK: stablehlo.broadcast_in_dim on tensors with dynamic dimensions cannot be padded: a dynamic dimension has another bound in the result
func.func @another_bound(%x: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<4x?xf32, #stablehlo.bounds<?, 9>> {
  %0 = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 1>}> : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<4x?xf32, #stablehlo.bounds<?, 9>>
  return %0 : tensor<4x?xf32, #stablehlo.bounds<?, 9>>
}

// -----

// CHECK: stablehlo.add on tensors with dynamic dimensions cannot be padded: its operands have other bounds than its result
func.func @bounds_of_a_sum(%x: tensor<?xf32, #stablehlo.bounds<8>>, %y: tensor<?xf32, #stablehlo.bounds<9>>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %0 = stablehlo.add %x, %y : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<?xf32, #stablehlo.bounds<9>>) -> tensor<?xf32, #stablehlo.bounds<8>>
  return %0 : tensor<?xf32, #stablehlo.bounds<8>>
}

// -----

// CHECK: stablehlo.reshape on tensors with dynamic dimensions cannot be padded
func.func @empty(%x: tensor<?x0xf32, #stablehlo.bounds<8, ?>>) -> tensor<0x?xf32, #stablehlo.bounds<?, 8>> {
  %0 = stablehlo.reshape %x : (tensor<?x0xf32, #stablehlo.bounds<8, ?>>) -> tensor<0x?xf32, #stablehlo.bounds<?, 8>>
  return %0 : tensor<0x?xf32, #stablehlo.bounds<?, 8>>
}

// -----

// CHECK: stablehlo.reshape on tensors with dynamic dimensions cannot be padded
func.func @no_whole_factor(%x: tensor<?x6xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x8xf32, #stablehlo.bounds<3, ?>> {
  %0 = stablehlo.reshape %x : (tensor<?x6xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x8xf32, #stablehlo.bounds<3, ?>>
  return %0 : tensor<?x8xf32, #stablehlo.bounds<3, ?>>
}

// -----

// CHECK: stablehlo.scatter on tensors with dynamic dimensions cannot be padded: it scatters into a tensor with dynamic dimensions
func.func @into_dynamic(%x: tensor<?xf32, #stablehlo.bounds<8>>, %i: tensor<3x1xi32>, %u: tensor<3xf32>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  return %0 : tensor<?xf32, #stablehlo.bounds<8>>
}

// -----

// CHECK: stablehlo.scatter on tensors with dynamic dimensions cannot be padded: a window of its updates is dynamic
func.func @dynamic_window(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x?xf32, #stablehlo.bounds<?, 4>>) -> tensor<8x4xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8x4xf32>, tensor<3x1xi32>, tensor<3x?xf32, #stablehlo.bounds<?, 4>>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// CHECK: stablehlo.reduce_window on tensors with dynamic dimensions cannot be padded: a dynamic dimension has gaps between its elements, or negative padding
func.func @windows_with_gaps(%x: tensor<?xf32, #stablehlo.bounds<8>>, %z: tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<15>> {
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1>, base_dilations = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<15>>
  return %0 : tensor<?xf32, #stablehlo.bounds<15>>
}
