// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

func.func @splat() -> tensor<8x8xf32> {
  // CHECK: sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
  // GENERIC: "sdy.constant"() <{value = dense<1.000000e+00> : tensor<8x8xf32>}> : () -> tensor<8x8xf32>
  %0 = sdy.constant dense<1.000000e+00> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @with_attributes() -> tensor<2x2xi32> {
  // CHECK: sdy.constant {any.thing = 3 : i32} dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  // GENERIC: "sdy.constant"() <{value = dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>}> {any.thing = 3 : i32} : () -> tensor<2x2xi32>
  %0 = sdy.constant {any.thing = 3 : i32} dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
