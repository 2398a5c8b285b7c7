// RUN: xshardy-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: value's type doesn't match element return type
func.func @element(%a: tensor<2xi8>) {
  %0 = "chlo.constant_like"(%a) <{value = 1.5 : f32}> : (tensor<2xi8>) -> tensor<2xf64>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'
func.func @shape(%a: tensor<2xi8>) {
  %0 = "chlo.constant_like"(%a) <{value = 1.5 : f32}> : (tensor<2xi8>) -> tensor<3xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'
func.func @result() {
  %0 = "chlo.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  func.return
}
