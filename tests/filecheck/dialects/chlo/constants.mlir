// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @constants
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.constant dense<[1.000000e+00, -2.500000e+00]> : tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.constant {mhlo.note} dense<true> : tensor<i1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = "chlo.constant_like"(%{{[^ ,:)]+}}) <{value = 1.500000e+00 : f32}> : (tensor<?x2xi8>) -> tensor<?x2xf32>
func.func @constants(%a: tensor<?x2xi8>) {
  %0 = chlo.constant dense<[1.0, -2.5]> : tensor<2xf32>
  %1 = chlo.constant {mhlo.note} dense<true> : tensor<i1>
  %2 = "chlo.constant_like"(%a) <{value = 1.5 : f32}> : (tensor<?x2xi8>) -> tensor<?x2xf32>
  return
}
