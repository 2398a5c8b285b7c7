// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// Hexadecimal digits are the bits of a float, and the value of an integer.
// CHECK-LABEL: func.func @hexadecimal
// CHECK-NEXT:    arith.constant dense<0x7F800000> : tensor<f32>
// CHECK-NEXT:    arith.constant dense<[0xFF80, 1.000000e+00]> : tensor<2xbf16>
// CHECK-NEXT:    arith.constant dense<0x7F> : tensor<f8E4M3FN>
// CHECK-NEXT:    arith.constant dense<1.000000e+00> : tensor<f64>
// CHECK-NEXT:    arith.constant dense<(0x7F800000,1.000000e+00)> : tensor<1xcomplex<f32>>
// CHECK-NEXT:    arith.constant dense<16> : tensor<i32>
func.func @hexadecimal() {
  %0 = arith.constant dense<0x7F800000> : tensor<f32>
  %1 = arith.constant dense<[0xFF80, 1.0]> : tensor<2xbf16>
  %2 = arith.constant dense<0x7F> : tensor<f8E4M3FN>
  %3 = arith.constant dense<0x3FF0000000000000> : tensor<f64>
  %4 = arith.constant dense<[(0x7F800000, 1.0)]> : tensor<1xcomplex<f32>>
  %5 = arith.constant dense<0x10> : tensor<i32>
  func.return
}

// Elements are the same if their bits are: zeros may differ, and NaNs may be the same.
// CHECK-LABEL: func.func @splats
// CHECK-NEXT:    arith.constant dense<7> : tensor<3xi32>
// CHECK-NEXT:    arith.constant dense<[-0.000000e+00, 0.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:    arith.constant dense<0x7F800001> : tensor<2xf32>
// CHECK-NEXT:    arith.constant dense<[0x7FC00000, 0x7FC00001]> : tensor<2xf32>
// CHECK-NEXT:    arith.constant dense<(1.000000e+00,2.000000e+00)> : tensor<3xcomplex<f32>>
func.func @splats() {
  %0 = arith.constant dense<[7, 7, 7]> : tensor<3xi32>
  %1 = arith.constant dense<[-0.0, 0.0]> : tensor<2xf32>
  %2 = arith.constant dense<[0x7F800001, 0x7F800001]> : tensor<2xf32>
  %3 = arith.constant dense<[0x7FC00000, 0x7FC00001]> : tensor<2xf32>
  %4 = arith.constant dense<"0x0000803F00000040"> : tensor<3xcomplex<f32>>
  func.return
}

// A splat is as large as its text.
// CHECK-LABEL: func.func @large_splats
// CHECK-NEXT:    arith.constant dense<0.000000e+00> : tensor<100000x100000xf32>
// CHECK-NEXT:    arith.constant dense<true> : tensor<10000000000x10000000000x10000000000xi1>
// CHECK-NEXT:    arith.constant dense<(1,2)> : tensor<100000x100000xcomplex<i8>>
// CHECK-NEXT:    arith.constant dense<-1> : tensor<100000x100000xi8>
func.func @large_splats() {
  %0 = arith.constant dense<0.0> : tensor<100000x100000xf32>
  %1 = arith.constant dense<true> : tensor<10000000000x10000000000x10000000000xi1>
  %2 = arith.constant dense<(1, 2)> : tensor<100000x100000xcomplex<i8>>
  %3 = arith.constant dense<"0xFF"> : tensor<100000x100000xi8>
  func.return
}

// CHECK-LABEL: func.func @empty
// CHECK-NEXT:    arith.constant dense<> : tensor<0xi8>
// CHECK-NEXT:    arith.constant dense<> : tensor<2x0xi8>
// CHECK-NEXT:    arith.constant dense<5> : tensor<0x3xi8>
func.func @empty() {
  %0 = arith.constant dense<> : tensor<0xi8>
  %1 = arith.constant dense<[[], []]> : tensor<2x0xi8>
  %2 = arith.constant dense<5> : tensor<0x3xi8>
  func.return
}

// A float too large for its type is infinity; a signless integer may be written as an unsigned one.
// CHECK-LABEL: func.func @wrapped
// CHECK-NEXT:    arith.constant dense<[0x7F800000, 0xFF800000]> : tensor<2xf32>
// CHECK-NEXT:    arith.constant dense<[-1, -128]> : tensor<2xi8>
// CHECK-NEXT:    arith.constant dense<[-1, 7]> : tensor<2xi4>
// CHECK-NEXT:    arith.constant dense<[false, true, true]> : tensor<3xi1>
// CHECK-NEXT:    arith.constant dense<[15, 0]> : tensor<2xui4>
func.func @wrapped() {
  %0 = arith.constant dense<[1.0e300, -1.0e300]> : tensor<2xf32>
  %1 = arith.constant dense<[255, -128]> : tensor<2xi8>
  %2 = arith.constant dense<"0xFF07"> : tensor<2xi4>
  %3 = arith.constant dense<[0, 1, -1]> : tensor<3xi1>
  %4 = arith.constant dense<[15, 0]> : tensor<2xui4>
  func.return
}
