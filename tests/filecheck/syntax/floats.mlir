// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s

// Six digits where they are enough, else as many as the type needs; bits for what is no number, and for what would be
// taken for an integer.
// CHECK-LABEL: func.func @digits
func.func @digits() {
  // CHECK-NEXT: arith.constant 1.000000e+00 : f32
  %0 = arith.constant 1.0 : f32
  // CHECK-NEXT: arith.constant -0.000000e+00 : f32
  %1 = arith.constant -0.0 : f32
  // CHECK-NEXT: arith.constant 1.000000e-01 : f32
  %2 = arith.constant 0.1 : f32
  // CHECK-NEXT: arith.constant 0.333333343 : f32
  %3 = arith.constant 0.333333343 : f32
  // CHECK-NEXT: arith.constant 1.23456786E-10 : f32
  %4 = arith.constant 1.23456788e-10 : f32
  // CHECK-NEXT: arith.constant 123456.789 : f64
  %5 = arith.constant 123456.789 : f64
  // CHECK-NEXT: arith.constant 3.1415926535897931 : f64
  %6 = arith.constant 3.1415926535897931 : f64
  // CHECK-NEXT: arith.constant 0x4B800001 : f32
  %7 = arith.constant 16777218.0 : f32
  // CHECK-NEXT: arith.constant 0x7F800000 : f32
  %8 = arith.constant 0x7F800000 : f32
  // CHECK-NEXT: arith.constant 0xFFF0000000000000 : f64
  %9 = arith.constant 0xFFF0000000000000 : f64
  // CHECK-NEXT: arith.constant 0x7FC0 : bf16
  %10 = arith.constant 0x7FC0 : bf16
  // CHECK-NEXT: arith.constant 9.997550e-02 : f16
  %11 = arith.constant 0.1 : f16
  // CHECK-NEXT: arith.constant dense<[1.000000e+00, 0.333333343]> : vector<2xf32>
  %12 = arith.constant dense<[1.0, 0.333333343]> : vector<2xf32>
  func.return
}

// The type of a 64-bit float is left out in a list, but not behind bits, which are an integer without it.
// CHECK-LABEL: func.func @in_lists
// CHECK-NEXT: complex.constant [1.500000e+00, 0x41E0000000000000 : f64] : complex<f64>
func.func @in_lists() {
  %0 = complex.constant [1.5, 2147483648.0] : complex<f64>
  func.return
}
