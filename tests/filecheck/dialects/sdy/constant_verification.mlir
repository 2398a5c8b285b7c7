// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: the value and the result have one type
%0 = "sdy.constant"() <{value = dense<1.0> : tensor<8xf32>}> : () -> tensor<4xf32>

// -----

// CHECK: the result must have a static shape, got: tensor<?xf32>
%0 = "sdy.constant"() <{value = dense<1.0> : tensor<8xf32>}> : () -> tensor<?xf32>
