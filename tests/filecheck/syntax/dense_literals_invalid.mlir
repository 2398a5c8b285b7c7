// RUN: xshardy-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: hexadecimal float constant out of range for type
func.func @too_many_bits() {
  %0 = arith.constant dense<0x10000> : tensor<bf16>
  func.return
}

// -----

// CHECK: expected a complex number, as in (1.0, 0.0)
func.func @real_in_complex() {
  %0 = arith.constant dense<1.0> : tensor<complex<f32>>
  func.return
}

// -----

// CHECK: expected a number of type i32, but parsed a complex number
func.func @complex_in_integers() {
  %0 = arith.constant dense<(1, 2)> : tensor<2xi32>
  func.return
}

// -----

// CHECK: :35: error: {{.*}}unexpected decimal integer literal for a floating point value
func.func @integer_in_floats() {
  %0 = arith.constant dense<[1.0, 2]> : tensor<2xf32>
  func.return
}

// -----

// CHECK: expected integer elements, but parsed floating-point
func.func @float_in_integers() {
  %0 = arith.constant dense<[1, 2.0]> : tensor<2xi32>
  func.return
}

// -----

// CHECK: expected i1 type for 'true' or 'false' values
func.func @truth_value_in_integers() {
  %0 = arith.constant dense<[true, false]> : tensor<2xi32>
  func.return
}

// -----

// CHECK: expected unsigned integer elements, but parsed negative value
func.func @negative_in_unsigned() {
  %0 = arith.constant dense<[1, -1]> : tensor<2xui8>
  func.return
}

// -----

// CHECK: integer constant out of range for type
func.func @out_of_range() {
  %0 = arith.constant dense<[1, 256]> : tensor<2xi8>
  func.return
}

// -----

// CHECK: inferred shape of elements literal ([1, 2]) does not match type ([2])
func.func @another_shape() {
  %0 = arith.constant dense<[[1, 2]]> : tensor<2xi8>
  func.return
}

// -----

// CHECK: parsed zero elements, but type ('tensor<2xi8>') expected at least 1
func.func @no_elements() {
  %0 = arith.constant dense<> : tensor<2xi8>
  func.return
}

// -----

// CHECK: expected string containing hex digits starting with `0x`
func.func @no_hexadecimal_digits() {
  %0 = arith.constant dense<"0xFG"> : tensor<i8>
  func.return
}

// -----

// CHECK: elements hex data size is invalid for provided type: 'tensor<2xi8>'
func.func @too_many_digits() {
  %0 = arith.constant dense<"0x010203"> : tensor<2xi8>
  func.return
}

// -----

// CHECK: elements hex data size is invalid for provided type: 'tensor<i8>'
func.func @too_many_digits_for_one() {
  %0 = arith.constant dense<"0x0102"> : tensor<i8>
  func.return
}

// -----

// CHECK: elements of type f80 cannot be kept
func.func @no_bytes() {
  %0 = arith.constant dense<1.0> : tensor<2xf80>
  func.return
}

// -----

// CHECK: elements of type i65 cannot be kept: xDSL has no bytes for it
func.func @no_element_that_is_too_wide() {
  %0 = arith.constant dense<[]> : tensor<0xi65>
  func.return
}

// -----

// CHECK: expected a tensor, vector or memref of integers, indices, floats or complex numbers
"test.op"() {a = dense<1> : tensor<2x!quant.uniform<i8:f32, 0.5>>} : () -> ()
