// RUN: xshardy-opt %s -p sdy-constant-or-scalar-splitter | filecheck %s

// A call of a function that computes nothing but constants is constant: each use calls a copy, which calls copies.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %0 = call @outer_2()
// CHECK-NEXT:    %1 = call @outer_4()
// CHECK-NEXT:    %2 = call @random()
// CHECK-NEXT:    return %0, %1, %2, %2
func.func @main(%s: tensor<2xui64>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = func.call @outer() : () -> tensor<8xf32>
  %1 = func.call @random() : () -> tensor<8xf32>
  return %0, %0, %1, %1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
func.func private @outer() -> tensor<8xf32> {
  %0 = func.call @inner() : () -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @inner() -> tensor<8xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @random() -> tensor<8xf32> {
  %0 = stablehlo.custom_call @random() : () -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The same of a named computation; its inside is split by itself.
// CHECK-LABEL: func.func @computations
// CHECK-COUNT-2: sdy.named_computation<"constant">
// CHECK:         sdy.named_computation<"random">
// CHECK-NEXT:      sdy.constant
// CHECK-NEXT:      sdy.constant
// CHECK-NOT:     sdy.named_computation
func.func @computations() -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.named_computation<"constant">() () {
    %2 = stablehlo.constant dense<1.0> : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : () -> tensor<8xf32>
  %1 = sdy.named_computation<"random">() () {
    %2 = stablehlo.constant dense<1.0> : tensor<8xf32>
    %3 = stablehlo.custom_call @random(%2, %2) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    sdy.return %3 : tensor<8xf32>
  } : () -> tensor<8xf32>
  return %0, %0, %1, %1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func private @inner_0_1
// CHECK-SAME:    attributes {sdy.original_func_name = "inner"}
// CHECK-LABEL: func.func private @outer_2
// CHECK-SAME:    attributes {sdy.original_func_name = "outer"}
// CHECK-NEXT:    %0 = call @inner_0_1()
