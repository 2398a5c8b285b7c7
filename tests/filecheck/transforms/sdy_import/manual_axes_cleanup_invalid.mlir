// RUN: xshardy-opt %s -p sdy-manual-axes-cleanup --verify-diagnostics | filecheck %s

// CHECK: 'sdy.manual_computation' op has manual_axes when there are no in/out shardings and the body is not empty
func.func @no_values() {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () {
    %0 = sdy.constant dense<1.0> : tensor<8xf32>
    sdy.return
  } : () -> ()
  return
}
