// RUN: xshardy-opt %s -p sdy-constant-or-scalar-splitter | filecheck %s

// What is constant if its operands are: each of the two uses gets a copy.
sdy.mesh @mesh = <["a"=2]>

// CHECK-LABEL: func.func @iota
// CHECK-COUNT-2: stablehlo.iota
// CHECK-NOT:     stablehlo.iota
func.func @iota() -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.iota dim = 0 : tensor<8xf32>
  return %c, %c : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @unary
// CHECK-COUNT-2: stablehlo.negate
// CHECK-NOT:     stablehlo.negate
func.func @unary() -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %c = stablehlo.negate %0 : tensor<8xf32>
  return %c, %c : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @broadcast
// CHECK-COUNT-2: stablehlo.broadcast_in_dim
// CHECK-NOT:     stablehlo.broadcast_in_dim
func.func @broadcast() -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %c = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  return %c, %c : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @clamp
// CHECK-COUNT-2: stablehlo.clamp
// CHECK-NOT:     stablehlo.clamp
func.func @clamp() -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %c = stablehlo.clamp %0, %0, %0 : tensor<8xf32>
  return %c, %c : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @compare
// CHECK-COUNT-2: stablehlo.compare
// CHECK-NOT:     stablehlo.compare
func.func @compare() -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %c = stablehlo.compare LT, %0, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  return %c, %c : tensor<8xi1>, tensor<8xi1>
}

// CHECK-LABEL: func.func @complex
// CHECK-COUNT-2: stablehlo.complex
// CHECK-NOT:     stablehlo.complex
func.func @complex() -> (tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %c = stablehlo.complex %0, %0 : tensor<8xcomplex<f32>>
  return %c, %c : tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>
}

// CHECK-LABEL: func.func @is_finite
// CHECK-COUNT-2: stablehlo.is_finite
// CHECK-NOT:     stablehlo.is_finite
func.func @is_finite() -> (tensor<8xi1>, tensor<8xi1>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %c = stablehlo.is_finite %0 : (tensor<8xf32>) -> tensor<8xi1>
  return %c, %c : tensor<8xi1>, tensor<8xi1>
}

// CHECK-LABEL: func.func @reshape
// CHECK-COUNT-2: stablehlo.reshape
// CHECK-NOT:     stablehlo.reshape
func.func @reshape() -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %c = stablehlo.reshape %0 : (tensor<8xf32>) -> tensor<2x4xf32>
  return %c, %c : tensor<2x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @select
// CHECK-COUNT-2: stablehlo.select
// CHECK-NOT:     stablehlo.select
func.func @select() -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %p = stablehlo.constant dense<true> : tensor<8xi1>
  %c = stablehlo.select %p, %0, %0 : tensor<8xi1>, tensor<8xf32>
  return %c, %c : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @slice
// CHECK-COUNT-2: stablehlo.slice
// CHECK-NOT:     stablehlo.slice
func.func @slice() -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %c = stablehlo.slice %0 [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  return %c, %c : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @bitcast
// CHECK-COUNT-2: stablehlo.bitcast_convert
// CHECK-NOT:     stablehlo.bitcast_convert
func.func @bitcast() -> (tensor<8xi32>, tensor<8xi32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %c = stablehlo.bitcast_convert %0 : (tensor<8xf32>) -> tensor<8xi32>
  return %c, %c : tensor<8xi32>, tensor<8xi32>
}

// CHECK-LABEL: func.func @barrier
// CHECK-COUNT-2: sdy.propagation_barrier
// CHECK-NOT:     sdy.propagation_barrier
func.func @barrier() -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %c = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<8xf32>
  return %c, %c : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @reshard
// CHECK-COUNT-2: sdy.reshard
// CHECK-NOT:     sdy.reshard
func.func @reshard() -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %c = sdy.reshard %0 <@mesh, [{"a"}]> : tensor<8xf32>
  return %c, %c : tensor<8xf32>, tensor<8xf32>
}

// A bitcast to elements of another width, a sum, and what reads a value that is not constant, are not.
// CHECK-LABEL: func.func @bitcast_to_bytes
// CHECK-COUNT-1: stablehlo.bitcast_convert
// CHECK-NOT:     stablehlo.bitcast_convert
func.func @bitcast_to_bytes() -> (tensor<8x4xi8>, tensor<8x4xi8>) {
  %0 = stablehlo.iota dim = 0 : tensor<8xf32>
  %c = stablehlo.bitcast_convert %0 : (tensor<8xf32>) -> tensor<8x4xi8>
  return %c, %c : tensor<8x4xi8>, tensor<8x4xi8>
}

// CHECK-LABEL: func.func @reduction
// CHECK-COUNT-1: stablehlo.reduce
// CHECK-NOT:     stablehlo.reduce
func.func @reduction() -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<8x4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %c = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
  return %c, %c : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @expansion_of_more
// CHECK-COUNT-1: stablehlo.broadcast_in_dim
// CHECK-NOT:     stablehlo.broadcast_in_dim
func.func @expansion_of_more(%x: tensor<8xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %c = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
  return %c, %c : tensor<8x4xf32>, tensor<8x4xf32>
}

// Within a copy, a scalar is not copied.
// CHECK-LABEL: func.func @scalar_within
// CHECK-COUNT-1: sdy.constant
// CHECK-COUNT-2: stablehlo.broadcast_in_dim
// CHECK-NOT:     sdy.constant
func.func @scalar_within() -> (tensor<8xf32>, tensor<8xf32>) {
  %s = stablehlo.constant dense<1.0> : tensor<f32>
  %t = stablehlo.negate %s : tensor<f32>
  %i = stablehlo.broadcast_in_dim %t, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %c = stablehlo.negate %i : tensor<8xf32>
  return %c, %c : tensor<8xf32>, tensor<8xf32>
}

// A copy is in the groups of its original.
// CHECK-LABEL: func.func @grouped
// CHECK:         [[C0:%.*]] = stablehlo.iota
// CHECK-NEXT:    sdy.sharding_group [[C0]] group_id=4
// CHECK-NEXT:    [[C1:%.*]] = stablehlo.iota
// CHECK-NEXT:    sdy.sharding_group [[C1]] group_id=4
// CHECK-NEXT:    return [[C0]], [[C1]]
func.func @grouped() -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.iota dim = 0 : tensor<8xf32>
  sdy.sharding_group %c group_id=4 : tensor<8xf32>
  return %c, %c : tensor<8xf32>, tensor<8xf32>
}
