// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @constants
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.constant dense<1.500000e+00> : tensor<f32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.constant dense<[{{\[}}1, -2], [3, 4]]> : tensor<2x2xi4>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.constant dense<[true, false]> : tensor<2xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.constant dense<255> : tensor<3xui8>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<complex<f32>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.constant dense<0x7F80> : tensor<bf16>
func.func @constants() {
  %0 = stablehlo.constant dense<1.500000e+00> : tensor<f32>
  %1 = stablehlo.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi4>
  %2 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %3 = stablehlo.constant dense<255> : tensor<3xui8>
  %4 = stablehlo.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<complex<f32>>
  %5 = stablehlo.constant dense<0x7F80> : tensor<bf16>
  func.return
}

// CHECK-LABEL: func.func @constant_with_attributes
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.constant {a = 1 : i32} dense<1> : tensor<i32>
func.func @constant_with_attributes() {
  %0 = stablehlo.constant {a = 1 : i32} dense<1> : tensor<i32>
  func.return
}

// CHECK-LABEL: func.func @iota
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.iota dim = 1 : tensor<2x3xi32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.iota dim = 0 : tensor<4xcomplex<f32>>
func.func @iota() {
  %0 = stablehlo.iota dim = 1 : tensor<2x3xi32>
  %1 = stablehlo.iota dim = 0 : tensor<4xcomplex<f32>>
  func.return
}
