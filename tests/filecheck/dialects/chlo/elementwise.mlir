// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @complex_functions
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.acos %{{[^ ,:)]+}} : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.acosh %{{[^ ,:)]+}} : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.asin %{{[^ ,:)]+}} : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.asinh %{{[^ ,:)]+}} : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.atan %{{[^ ,:)]+}} : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.atanh %{{[^ ,:)]+}} : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.bessel_i1e %{{[^ ,:)]+}} : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.conj %{{[^ ,:)]+}} : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.cosh %{{[^ ,:)]+}} : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.sinh %{{[^ ,:)]+}} : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.tan %{{[^ ,:)]+}} : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.square %{{[^ ,:)]+}} {mhlo.note} : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo._asin_acos_kernel %{{[^ ,:)]+}} : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
func.func @complex_functions(%a: tensor<2xf32>, %c: tensor<2xcomplex<f64>>) {
  %0 = chlo.acos %a : tensor<2xf32> -> tensor<2xf32>
  %1 = chlo.acosh %a : tensor<2xf32> -> tensor<2xf32>
  %2 = chlo.asin %a : tensor<2xf32> -> tensor<2xf32>
  %3 = chlo.asinh %a : tensor<2xf32> -> tensor<2xf32>
  %4 = chlo.atan %c : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
  %5 = chlo.atanh %a : tensor<2xf32> -> tensor<2xf32>
  %6 = chlo.bessel_i1e %a : tensor<2xf32> -> tensor<2xf32>
  %7 = chlo.conj %c : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
  %8 = chlo.cosh %a : tensor<2xf32> -> tensor<2xf32>
  %9 = chlo.sinh %a : tensor<2xf32> -> tensor<2xf32>
  %10 = chlo.tan %a : tensor<2xf32> -> tensor<2xf32>
  %11 = chlo.square %c {mhlo.note} : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
  %12 = chlo._asin_acos_kernel %c : tensor<2xcomplex<f64>> -> tensor<2xcomplex<f64>>
  return
}

// CHECK-LABEL: func.func @float_functions
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.digamma %{{[^ ,:)]+}} : tensor<?xbf16> -> tensor<?xbf16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.erf %{{[^ ,:)]+}} : tensor<?xbf16> -> tensor<?xbf16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.erf_inv %{{[^ ,:)]+}} : tensor<?xbf16> -> tensor<?xbf16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.erfc %{{[^ ,:)]+}} : tensor<2xf8E4M3FN> -> tensor<2xf8E4M3FN>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.lgamma %{{[^ ,:)]+}} : tensor<?xbf16> -> tensor<?xbf16>
func.func @float_functions(%a: tensor<?xbf16>, %f: tensor<2xf8E4M3FN>) {
  %0 = chlo.digamma %a : tensor<?xbf16> -> tensor<?xbf16>
  %1 = chlo.erf %a : tensor<?xbf16> -> tensor<?xbf16>
  %2 = chlo.erf_inv %a : tensor<?xbf16> -> tensor<?xbf16>
  %3 = chlo.erfc %f : tensor<2xf8E4M3FN> -> tensor<2xf8E4M3FN>
  %4 = chlo.lgamma %a : tensor<?xbf16> -> tensor<?xbf16>
  return
}

// CHECK-LABEL: func.func @predicates
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.is_inf %{{[^ ,:)]+}} : tensor<2xf32> -> tensor<2xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.is_neg_inf %{{[^ ,:)]+}} : tensor<2xf32> -> tensor<2xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.is_pos_inf %{{[^ ,:)]+}} : tensor<2xf32> -> tensor<2xi1>
func.func @predicates(%a: tensor<2xf32>) {
  %0 = chlo.is_inf %a : tensor<2xf32> -> tensor<2xi1>
  %1 = chlo.is_neg_inf %a : tensor<2xf32> -> tensor<2xi1>
  %2 = chlo.is_pos_inf %a : tensor<2xf32> -> tensor<2xi1>
  return
}

// CHECK-LABEL: func.func @binary
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.next_after %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.polygamma %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.zeta %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = chlo.mulhi %{{[^ ,:)]+}}, %{{[^ ,:)]+}} : tensor<2xui16>, tensor<2xui16> -> tensor<2xui16>
func.func @binary(%a: tensor<2xf32>, %i: tensor<2xui16>) {
  %0 = chlo.next_after %a, %a : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %1 = chlo.polygamma %a, %a : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %2 = chlo.zeta %a, %a : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %3 = chlo.mulhi %i, %i : tensor<2xui16>, tensor<2xui16> -> tensor<2xui16>
  return
}
