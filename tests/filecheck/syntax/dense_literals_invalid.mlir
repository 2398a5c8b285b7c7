// RUN: xshardy-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: 0x10000 has more bits than a number of type bf16
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
