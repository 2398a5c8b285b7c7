// RUN: xshardy-opt %s -p sdy-constant-splitter | filecheck %s

// Inside of each copy the constant has two uses.
// CHECK-LABEL: func.func @whole_sub_computation
// CHECK-NEXT:    [[C0:%.*]] = sdy.constant
// CHECK-NEXT:    [[C1:%.*]] = sdy.constant
// CHECK-NEXT:    [[S0:%.*]] = stablehlo.add [[C0]], [[C0]]
// CHECK-NEXT:    [[S1:%.*]] = stablehlo.add [[C1]], [[C1]]
// CHECK-NEXT:    [[B0:%.*]] = stablehlo.broadcast_in_dim [[S0]], dims = [0]
// CHECK-NEXT:    [[B1:%.*]] = stablehlo.broadcast_in_dim [[S1]], dims = [0]
// CHECK-NEXT:    stablehlo.add %arg0, [[B0]]
// CHECK-NEXT:    stablehlo.multiply %arg0, [[B1]]
// CHECK-NEXT:    return
func.func @whole_sub_computation(%x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %s = stablehlo.add %c, %c : tensor<8xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  %0 = stablehlo.add %x, %b : tensor<8x16xf32>
  %1 = stablehlo.multiply %x, %b : tensor<8x16xf32>
  return %0, %1 : tensor<8x16xf32>, tensor<8x16xf32>
}

// CHECK-LABEL: func.func @iota_and_slice
// CHECK-NEXT:    [[I0:%.*]] = stablehlo.iota dim = 0
// CHECK-NEXT:    [[I1:%.*]] = stablehlo.iota dim = 0
// CHECK-NEXT:    [[S0:%.*]] = stablehlo.slice [[I0]]
// CHECK-NEXT:    [[S1:%.*]] = stablehlo.slice [[I1]]
// CHECK-NEXT:    stablehlo.add %arg0, [[S0]]
// CHECK-NEXT:    stablehlo.multiply %arg0, [[S1]]
func.func @iota_and_slice(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %i = stablehlo.iota dim = 0 : tensor<8xi32>
  %s = stablehlo.slice %i [0:4] : (tensor<8xi32>) -> tensor<4xi32>
  %0 = stablehlo.add %x, %s : tensor<4xi32>
  %1 = stablehlo.multiply %x, %s : tensor<4xi32>
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// sdy-constant-or-scalar-splitter leaves scalars alone.
// CHECK-LABEL: func.func @scalar_is_copied
// CHECK-NEXT:    [[C0:%.*]] = sdy.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:    [[C1:%.*]] = sdy.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:    stablehlo.add %arg0, [[C0]]
// CHECK-NEXT:    stablehlo.multiply %arg0, [[C1]]
func.func @scalar_is_copied(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.add %x, %c : tensor<f32>
  %1 = stablehlo.multiply %x, %c : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// The scalar is part of the sub-computation; sdy-constant-or-scalar-splitter copies the broadcasts only.
// CHECK-LABEL: func.func @broadcast_of_constant_scalar
// CHECK-NEXT:    [[C0:%.*]] = sdy.constant
// CHECK-NEXT:    [[C1:%.*]] = sdy.constant
// CHECK-NEXT:    [[B0:%.*]] = stablehlo.broadcast_in_dim [[C0]]
// CHECK-NEXT:    [[B1:%.*]] = stablehlo.broadcast_in_dim [[C1]]
// CHECK-NEXT:    stablehlo.add %arg0, [[B0]]
// CHECK-NEXT:    stablehlo.multiply %arg0, [[B1]]
func.func @broadcast_of_constant_scalar(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %0 = stablehlo.add %x, %b : tensor<8xf32>
  %1 = stablehlo.multiply %x, %b : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// sdy-constant-or-scalar-splitter copies broadcasts of scalars that are not constant, too.
// CHECK-LABEL: func.func @broadcast_of_argument_stays
// CHECK-NEXT:    [[B:%.*]] = stablehlo.broadcast_in_dim %arg0
// CHECK-NEXT:    stablehlo.negate [[B]]
// CHECK-NEXT:    stablehlo.abs [[B]]
func.func @broadcast_of_argument_stays(%x: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %b = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %0 = stablehlo.negate %b : tensor<8xf32>
  %1 = stablehlo.abs %b : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// A reshape is a user of the constant; sdy-constant-or-scalar-splitter copies it.
// CHECK-LABEL: func.func @reshape_is_not_constant
// CHECK-NEXT:    [[C:%.*]] = sdy.constant
// CHECK-NEXT:    [[R:%.*]] = stablehlo.reshape [[C]]
// CHECK-NEXT:    stablehlo.add %arg0, [[R]]
// CHECK-NEXT:    stablehlo.multiply %arg0, [[R]]
func.func @reshape_is_not_constant(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %r = stablehlo.reshape %c : (tensor<8xf32>) -> tensor<2x4xf32>
  %0 = stablehlo.add %x, %r : tensor<2x4xf32>
  %1 = stablehlo.multiply %x, %r : tensor<2x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @non_constant_operand
// CHECK-NEXT:    [[C:%.*]] = sdy.constant
// CHECK-NEXT:    [[S:%.*]] = stablehlo.add %arg0, [[C]]
// CHECK-NEXT:    stablehlo.negate [[S]]
// CHECK-NEXT:    stablehlo.abs [[S]]
func.func @non_constant_operand(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %s = stablehlo.add %x, %c : tensor<8xf32>
  %0 = stablehlo.negate %s : tensor<8xf32>
  %1 = stablehlo.abs %s : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Both operands are uses.
// CHECK-LABEL: func.func @two_operands
// CHECK-NEXT:    [[C0:%.*]] = sdy.constant
// CHECK-NEXT:    [[C1:%.*]] = sdy.constant
// CHECK-NEXT:    stablehlo.concatenate [[C0]], [[C1]]
func.func @two_operands() -> tensor<16xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %0 = stablehlo.concatenate %c, %c, dim = 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// The function computes nothing but a constant; sdy-constant-or-scalar-splitter copies the call and the function.
// CHECK-LABEL: func.func @call_is_not_constant
// CHECK-NEXT:    [[C:%.*]] = {{.*}}call @constant()
// CHECK-NEXT:    stablehlo.add %arg0, [[C]]
// CHECK-NEXT:    stablehlo.multiply %arg0, [[C]]
func.func @call_is_not_constant(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = func.call @constant() : () -> tensor<8xf32>
  %0 = stablehlo.add %x, %c : tensor<8xf32>
  %1 = stablehlo.multiply %x, %c : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

func.func private @constant() -> tensor<8xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  return %c : tensor<8xf32>
}

// A group is not a use; each copy is a member of it.
// CHECK-LABEL: func.func @sharding_group
// CHECK-NEXT:    [[C0:%.*]] = sdy.constant
// CHECK-NEXT:    sdy.sharding_group [[C0]] group_id=0
// CHECK-NEXT:    [[C1:%.*]] = sdy.constant
// CHECK-NEXT:    sdy.sharding_group [[C1]] group_id=0
// CHECK-NEXT:    stablehlo.add %arg0, [[C0]]
// CHECK-NEXT:    stablehlo.multiply %arg0, [[C1]]
func.func @sharding_group(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  sdy.sharding_group %c group_id=0 : tensor<8xf32>
  %0 = stablehlo.add %x, %c : tensor<8xf32>
  %1 = stablehlo.multiply %x, %c : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// A bitcast that keeps the shape is elementwise; one that changes it is none of the operations that are copied.
// CHECK-LABEL: func.func @bitcasts
// CHECK-NEXT:    [[C0:%.*]] = sdy.constant
// CHECK-NEXT:    [[C1:%.*]] = sdy.constant
// CHECK-NEXT:    [[B0:%.*]] = stablehlo.bitcast_convert [[C0]]
// CHECK-NEXT:    [[B1:%.*]] = stablehlo.bitcast_convert [[C1]]
// CHECK-NEXT:    return [[B0]], [[B1]]
func.func @bitcasts() -> (tensor<8xi32>, tensor<8xi32>) {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %0 = stablehlo.bitcast_convert %c : (tensor<8xf32>) -> tensor<8xi32>
  return %0, %0 : tensor<8xi32>, tensor<8xi32>
}
