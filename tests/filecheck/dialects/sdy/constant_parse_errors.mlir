// RUN: xshardy-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: elements literal type must have static shape
%0 = sdy.constant dense<1.0> : tensor<?x8xf32>

// -----

// CHECK: elements literal type must have static shape
%0 = sdy.constant dense<1.0> : tensor<*xf32>

// -----

// CHECK: expected a dense elements attribute, as in `dense<1.0> : tensor<8xf32>`
%0 = sdy.constant 1.0 : f32
