// RUN: xshardy-opt %s -p xla-gpu-lower-xla-intrinsic-lib --maps symbolic | filecheck %s
// RUN: xshardy-opt %s -p xla-gpu-lower-xla-intrinsic-lib,xla-gpu-link-xla-intrinsic-lib --maps symbolic | filecheck %s --check-prefix LINKED

// XLA since June 2026 has its own error function for f64.

// CHECK-LABEL: func.func @error_function(
// CHECK-NEXT:    call @xla.erf.f64(%{{.*}}) : (f64) -> f64
// LINKED:      math.erf
func.func @error_function(%x: f64) -> f64 {
  %0 = math.erf %x : f64
  return %0 : f64
}
