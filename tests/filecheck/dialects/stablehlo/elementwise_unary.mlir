// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @transcendental
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.cbrt %{{[^ ,:)]+}} : tensor<2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.cosine %{{[^ ,:)]+}} : tensor<2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.exponential %{{[^ ,:)]+}} : tensor<2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.exponential_minus_one %{{[^ ,:)]+}} : tensor<2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.log %{{[^ ,:)]+}} : tensor<2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.log_plus_one %{{[^ ,:)]+}} : tensor<2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.logistic %{{[^ ,:)]+}} : tensor<2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.rsqrt %{{[^ ,:)]+}} : tensor<2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.sine %{{[^ ,:)]+}} : tensor<2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.sqrt %{{[^ ,:)]+}} : tensor<2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.tan %{{[^ ,:)]+}} : tensor<2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.tanh %{{[^ ,:)]+}} : tensor<2x3xf32>
func.func @transcendental(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  %0 = stablehlo.cbrt %a : tensor<2x3xf32>
  %1 = stablehlo.cosine %a : tensor<2x3xf32>
  %2 = stablehlo.exponential %a : tensor<2x3xf32>
  %3 = stablehlo.exponential_minus_one %a : tensor<2x3xf32>
  %4 = stablehlo.log %a : tensor<2x3xf32>
  %5 = stablehlo.log_plus_one %a : tensor<2x3xf32>
  %6 = stablehlo.logistic %a : tensor<2x3xf32>
  %7 = stablehlo.rsqrt %a : tensor<2x3xf32>
  %8 = stablehlo.sine %a : tensor<2x3xf32>
  %9 = stablehlo.sqrt %a : tensor<2x3xf32>
  %10 = stablehlo.tan %a : tensor<2x3xf32>
  %11 = stablehlo.tanh %a : tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: func.func @transcendental_of_complex
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.cbrt %{{[^ ,:)]+}} : tensor<complex<f64>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.cosine %{{[^ ,:)]+}} : tensor<complex<f64>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.exponential %{{[^ ,:)]+}} : tensor<complex<f64>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.exponential_minus_one %{{[^ ,:)]+}} : tensor<complex<f64>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.log %{{[^ ,:)]+}} : tensor<complex<f64>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.log_plus_one %{{[^ ,:)]+}} : tensor<complex<f64>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.logistic %{{[^ ,:)]+}} : tensor<complex<f64>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.rsqrt %{{[^ ,:)]+}} : tensor<complex<f64>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.sine %{{[^ ,:)]+}} : tensor<complex<f64>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.sqrt %{{[^ ,:)]+}} : tensor<complex<f64>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.tan %{{[^ ,:)]+}} : tensor<complex<f64>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.tanh %{{[^ ,:)]+}} : tensor<complex<f64>>
func.func @transcendental_of_complex(%a: tensor<complex<f64>>) {
  %0 = stablehlo.cbrt %a : tensor<complex<f64>>
  %1 = stablehlo.cosine %a : tensor<complex<f64>>
  %2 = stablehlo.exponential %a : tensor<complex<f64>>
  %3 = stablehlo.exponential_minus_one %a : tensor<complex<f64>>
  %4 = stablehlo.log %a : tensor<complex<f64>>
  %5 = stablehlo.log_plus_one %a : tensor<complex<f64>>
  %6 = stablehlo.logistic %a : tensor<complex<f64>>
  %7 = stablehlo.rsqrt %a : tensor<complex<f64>>
  %8 = stablehlo.sine %a : tensor<complex<f64>>
  %9 = stablehlo.sqrt %a : tensor<complex<f64>>
  %10 = stablehlo.tan %a : tensor<complex<f64>>
  %11 = stablehlo.tanh %a : tensor<complex<f64>>
  func.return
}

// CHECK-LABEL: func.func @rounding
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.ceil %{{[^ ,:)]+}} : tensor<2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.floor %{{[^ ,:)]+}} : tensor<2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.round_nearest_afz %{{[^ ,:)]+}} : tensor<2x3xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.round_nearest_even %{{[^ ,:)]+}} : tensor<2x3xf32>
func.func @rounding(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  %0 = stablehlo.ceil %a : tensor<2x3xf32>
  %1 = stablehlo.floor %a : tensor<2x3xf32>
  %2 = stablehlo.round_nearest_afz %a : tensor<2x3xf32>
  %3 = stablehlo.round_nearest_even %a : tensor<2x3xf32>
  func.return
}

// CHECK-LABEL: func.func @arithmetic_of_every_kind
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.negate %{{[^ ,:)]+}} : tensor<2xi4>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.negate %{{[^ ,:)]+}} : tensor<2xui8>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.negate %{{[^ ,:)]+}} : tensor<2xbf16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.negate %{{[^ ,:)]+}} : tensor<2xcomplex<f32>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.sign %{{[^ ,:)]+}} : tensor<2xi4>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.sign %{{[^ ,:)]+}} : tensor<2xbf16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.sign %{{[^ ,:)]+}} : tensor<2xcomplex<f32>>
func.func @arithmetic_of_every_kind(%s: tensor<2xi4>, %u: tensor<2xui8>, %f: tensor<2xbf16>, %c: tensor<2xcomplex<f32>>) {
  %0 = stablehlo.negate %s : tensor<2xi4>
  %1 = stablehlo.negate %u : tensor<2xui8>
  %2 = stablehlo.negate %f : tensor<2xbf16>
  %3 = stablehlo.negate %c : tensor<2xcomplex<f32>>
  %4 = stablehlo.sign %s : tensor<2xi4>
  %5 = stablehlo.sign %f : tensor<2xbf16>
  %6 = stablehlo.sign %c : tensor<2xcomplex<f32>>
  func.return
}

// CHECK-LABEL: func.func @bits
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.not %{{[^ ,:)]+}} : tensor<2xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.not %{{[^ ,:)]+}} : tensor<2xui64>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.popcnt %{{[^ ,:)]+}} : tensor<2xi2>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.count_leading_zeros %{{[^ ,:)]+}} : tensor<2xui64>
func.func @bits(%p: tensor<2xi1>, %s: tensor<2xi2>, %u: tensor<2xui64>) {
  %0 = stablehlo.not %p : tensor<2xi1>
  %1 = stablehlo.not %u : tensor<2xui64>
  %2 = stablehlo.popcnt %s : tensor<2xi2>
  %3 = stablehlo.count_leading_zeros %u : tensor<2xui64>
  func.return
}

// CHECK-LABEL: func.func @absolute_value
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.abs %{{[^ ,:)]+}} : tensor<2xi32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.abs %{{[^ ,:)]+}} : tensor<2xf16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.abs %{{[^ ,:)]+}} : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
func.func @absolute_value(%s: tensor<2xi32>, %f: tensor<2xf16>, %c: tensor<2xcomplex<f64>>) {
  %0 = stablehlo.abs %s : tensor<2xi32>
  %1 = stablehlo.abs %f : tensor<2xf16>
  %2 = stablehlo.abs %c : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  func.return
}

// CHECK-LABEL: func.func @parts_of_complex
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.real %{{[^ ,:)]+}} : tensor<2xf16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.real %{{[^ ,:)]+}} : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.imag %{{[^ ,:)]+}} : tensor<2xf16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.imag %{{[^ ,:)]+}} : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
func.func @parts_of_complex(%f: tensor<2xf16>, %c: tensor<2xcomplex<f64>>) {
  %0 = stablehlo.real %f : tensor<2xf16>
  %1 = stablehlo.real %c : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %2 = stablehlo.imag %f : tensor<2xf16>
  %3 = stablehlo.imag %c : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  func.return
}

// CHECK-LABEL: func.func @convert_to_every_type
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xf4E2M1FN>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xf8E3M4>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xf8E4M3>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xf8E4M3FN>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xf8E4M3FNUZ>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xf8E4M3B11FNUZ>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xf8E5M2>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xf8E5M2FNUZ>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xf8E8M0FNU>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xbf16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xf16>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xf64>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xi1>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xi2>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xui4>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convert %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xcomplex<f32>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.convert %{{[^ ,:)]+}} : tensor<2xf32>
func.func @convert_to_every_type(%a: tensor<2xf32>) {
  %0 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xf4E2M1FN>
  %1 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xf8E3M4>
  %2 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xf8E4M3>
  %3 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xf8E4M3FN>
  %4 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xf8E4M3FNUZ>
  %5 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xf8E4M3B11FNUZ>
  %6 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xf8E5M2>
  %7 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xf8E5M2FNUZ>
  %8 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xf8E8M0FNU>
  %9 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xbf16>
  %10 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xf16>
  %11 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xf64>
  %12 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xi1>
  %13 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xi2>
  %14 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xui4>
  %15 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xcomplex<f32>>
  %c = stablehlo.convert %a : tensor<2xf32>
  func.return
}

// CHECK-LABEL: func.func @is_finite
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.is_finite %{{[^ ,:)]+}} : (tensor<2xf32>) -> tensor<2xi1>
func.func @is_finite(%a: tensor<2xf32>) {
  %0 = stablehlo.is_finite %a : (tensor<2xf32>) -> tensor<2xi1>
  func.return
}

// CHECK-LABEL: func.func @reduce_precision
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.reduce_precision %{{[^ ,:)]+}}, format = e5m10 : tensor<2xf32>
func.func @reduce_precision(%a: tensor<2xf32>) {
  %0 = stablehlo.reduce_precision %a, format = e5m10 : tensor<2xf32>
  func.return
}

// CHECK-LABEL: func.func @dynamic_dimensions
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.tanh %{{[^ ,:)]+}} : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.floor %{{[^ ,:)]+}} : (tensor<?x?xf32>) -> tensor<2x?xf32>
func.func @dynamic_dimensions(%a: tensor<?x3xf32, #stablehlo.bounds<4, ?>>, %b: tensor<?x?xf32>) {
  %0 = stablehlo.tanh %a : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
  %1 = stablehlo.floor %b : (tensor<?x?xf32>) -> tensor<2x?xf32>
  func.return
}

// CHECK-LABEL: func.func @result_accuracy
// CHECK-NEXT: stablehlo.tanh %{{[^ ]+}} {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<f32>
// CHECK-NEXT: stablehlo.log %{{[^ ]+}} {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e+00, rtol = 5.000000e-01, ulps = 5, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<f32>
func.func @result_accuracy(%a: tensor<f32>) {
  %0 = stablehlo.tanh %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<f32>
  %1 = stablehlo.log %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.0, rtol = 0.5, ulps = 5, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<f32>
  func.return
}
