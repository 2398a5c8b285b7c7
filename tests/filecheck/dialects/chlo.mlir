// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @elementwise
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.acos %{{[^ ,:)]+}} : tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.acosh %{{[^ ,:)]+}} : tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.asin %{{[^ ,:)]+}} : tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.asinh %{{[^ ,:)]+}} : tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.atan %{{[^ ,:)]+}} : tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.atanh %{{[^ ,:)]+}} : tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.cosh %{{[^ ,:)]+}} : tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.sinh %{{[^ ,:)]+}} : tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.erf %{{[^ ,:)]+}} : tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.erf_inv %{{[^ ,:)]+}} : tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.erfc %{{[^ ,:)]+}} : tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.atan %{{[^ ,:)]+}} : tensor<2xcomplex<f64>>
func.func @elementwise(%a: tensor<2xf32>, %c: tensor<2xcomplex<f64>>) {
  %0 = chlo.acos %a : tensor<2xf32>
  %1 = chlo.acosh %a : tensor<2xf32>
  %2 = chlo.asin %a : tensor<2xf32>
  %3 = chlo.asinh %a : tensor<2xf32>
  %4 = chlo.atan %a : tensor<2xf32>
  %5 = chlo.atanh %a : tensor<2xf32>
  %6 = chlo.cosh %a : tensor<2xf32>
  %7 = chlo.sinh %a : tensor<2xf32>
  %8 = chlo.erf %a : tensor<2xf32>
  %9 = chlo.erf_inv %a : tensor<2xf32>
  %10 = chlo.erfc %a : tensor<2xf32>
  %c0 = chlo.atan %c : tensor<2xcomplex<f64>>
  func.return
}
