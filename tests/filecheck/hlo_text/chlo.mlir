// RUN: xshardy-opt %s -t hlo | filecheck %s

// Functions with an opcode are printed as it; others become several operations.
// CHECK: ENTRY %main
// CHECK: acosh(
// CHECK-NOT: erfc
// CHECK: exponential(
// CHECK: ROOT {{.*}} tuple(
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = chlo.acosh %x : tensor<2xf32> -> tensor<2xf32>
  %1 = chlo.erfc %x : tensor<2xf32> -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
