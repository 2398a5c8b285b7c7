// RUN: xshardy-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: 2 operands present, but expected 1
func.func @operand_types(%a: tensor<f32>) {
  %0 = stablehlo.add %a, %a : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: expected single output
func.func @result_types(%a: tensor<f32>) {
  %0 = stablehlo.add %a, %a : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  func.return
}

// -----

// CHECK: expected functional type or list of two types
func.func @select(%p: tensor<i1>, %a: tensor<f32>) {
  %0 = stablehlo.select %p, %a, %a : tensor<f32>
  func.return
}

// -----

// CHECK: expected tensor with complex element type
func.func @complex(%a: tensor<f32>) {
  %0 = stablehlo.complex %a, %a : tensor<f32>
  func.return
}

// -----

// CHECK: expected tuple type
func.func @tuple(%a: tensor<f32>) {
  %0 = stablehlo.tuple %a : tensor<f32>
  func.return
}

// -----

// CHECK: expected exponent mantissa in format e#m#, saw f32
func.func @reduce_precision(%a: tensor<f32>) {
  %0 = stablehlo.reduce_precision %a, format = f32 : tensor<f32>
  func.return
}

// -----

// CHECK: expected a dense elements attribute
func.func @constant() {
  %0 = stablehlo.constant 1.0 : f32
  func.return
}

// -----

// CHECK: expected the inner-op to be a commutative binary-op from the stablehlo dialect
func.func @reduce(%a: tensor<2xf32>, %i: tensor<f32>) {
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.subtract across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  func.return
}

// -----

// CHECK: duplicated `offset_dims` entry: remove one of the two
func.func @gather(%a: tensor<30x20xf32>, %i: tensor<10x1xi32>) attributes {a = #stablehlo.gather<offset_dims = [1], offset_dims = [0]>} {
  func.return
}

// -----

// CHECK: error: custom op 'stablehlo.reduce_precision' unable to parse exponent '2147483648'
func.func @exponent_of_32_bits(%x: tensor<4xf32>) {
  %0 = stablehlo.reduce_precision %x, format = e2147483648m1 : tensor<4xf32>
  func.return
}

// -----

// CHECK: error: custom op 'stablehlo.reduce_precision' unable to parse mantissa '99999999999999999999'
func.func @mantissa_of_many_digits(%x: tensor<4xf32>) {
  %0 = stablehlo.reduce_precision %x, format = e1m9999999999999999999999999 : tensor<4xf32>
  func.return
}

// -----

// CHECK: error: custom op 'stablehlo.tuple' number of operands and types do not match: got 2 operands and 1 types
func.func @two_operands_of_one_type(%x: tensor<4xf32>) {
  %0 = stablehlo.tuple %x, %x : tuple<tensor<4xf32>>
  func.return
}

// -----

// CHECK: error: expected '<': a mesh has at least one axis
module attributes {test.mesh = #stablehlo.mesh<axes = []>} {}

// -----

// CHECK: custom op 'stablehlo.reduce' expected function type
func.func @reduce_without_a_function_type(%x: tensor<8xf32>, %i: tensor<f32>) {
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] : tensor<8xf32>
  func.return
}

// -----

// CHECK: input types missing in reduce-op function type
func.func @reduce_without_input_types(%x: tensor<8xf32>, %i: tensor<f32>) {
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] : () -> tensor<f32>
  func.return
}

// -----

// CHECK: expected a type with one result, as in
func.func @constant_of_two_results() {
  %0 = stablehlo.constant() <{value = dense<0.0> : tensor<f32>}> : () -> (tensor<f32>, tensor<f32>)
  func.return
}

// -----

// CHECK: expected an axis, as in
module attributes {test.mesh = #stablehlo.mesh<axes = [#stablehlo.axis_ref<name = "a">]>} {}

// -----

// CHECK: is given twice: remove one of the two
module attributes {test.axis = #stablehlo.mesh_axis<name = "a", name = "b">} {}

// -----

// CHECK: expected one of: `lhs_batching_dimensions`
module attributes {test.dot = #stablehlo.dot<other = [0]>} {}

// -----

// CHECK: integer value too large: a bound has at most 63 bits
func.func private @bound(tensor<?xf32, #stablehlo.bounds<9223372036854775808>>)

// -----

// CHECK: custom op 'stablehlo.return' number of operands and types do not match: got 2 operands and 1 types
func.func @f(%x: tensor<4xf32>) {
  "stablehlo.custom_call"() ({
    stablehlo.return %x, %x : tensor<4xf32>
  }) : () -> ()
  func.return
}
