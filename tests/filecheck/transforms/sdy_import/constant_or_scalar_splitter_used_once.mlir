// RUN: xshardy-opt %s -p sdy-constant-or-scalar-splitter | filecheck %s

// What only one operation reads is copied if a call is a part of it.
// CHECK-LABEL: func.func @used_once
// CHECK-NEXT:    %0 = call @of_one_use_{{[0-9]+}}()
// CHECK-NEXT:    %1 = sdy.constant
// CHECK-NEXT:    %2 = stablehlo.add %0, %1
// CHECK-NEXT:    return %2
func.func @used_once() -> tensor<8xf32> {
  %0 = func.call @of_one_use() : () -> tensor<8xf32>
  %1 = stablehlo.constant dense<2.0> : tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @of_one_use() -> tensor<8xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
