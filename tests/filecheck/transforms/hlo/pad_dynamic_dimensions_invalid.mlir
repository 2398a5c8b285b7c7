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
