// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s

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
