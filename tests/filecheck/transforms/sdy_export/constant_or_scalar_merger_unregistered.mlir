// RUN: xshardy-opt %s --allow-unregistered-dialect -p sdy-constant-or-scalar-merger | filecheck %s

// Nothing is known about operations that are not registered.
// CHECK-LABEL: func.func @not_registered
// CHECK-NEXT:    %0 = "unknown.op"() : () -> tensor<8xf32>
// CHECK-NEXT:    %1 = "unknown.op"() : () -> tensor<8xf32>
func.func @not_registered() -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = "unknown.op"() : () -> tensor<8xf32>
  %1 = "unknown.op"() : () -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
