// RUN: xshardy-opt %s -p sdy-constant-or-scalar-splitter | filecheck %s

// The body of a named computation is split, and what is unused in it erased, before the computation is copied.
// CHECK-LABEL: func.func @nested_computations
// CHECK:         sdy.named_computation<"outer">() () {
// CHECK-NEXT:      {{.*}}sdy.named_computation<"inner">() () {
// CHECK-NEXT:        [[C:%.*]] = sdy.constant
// CHECK-NEXT:        sdy.return [[C]]

// Callees are split before their callers are given copies, which are named in the order of the uses.
// CHECK:         {{.*}}call @f_3()
// CHECK-NEXT:    {{.*}}call @g_2()
// CHECK-NEXT:    {{.*}}call @g_5()
// CHECK-LABEL: func.func private @g()
// CHECK-NEXT:    {{.*}}call @f_0()
// CHECK-LABEL: func.func private @g_2()
// CHECK-NEXT:    {{.*}}call @f_0_1()
// CHECK-LABEL: func.func private @g_5()
// CHECK-NEXT:    {{.*}}call @f_0_4()
func.func @nested_computations(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.named_computation<"outer">() () {
    %1 = sdy.named_computation<"inner">() () {
      %2 = stablehlo.constant dense<1.0> : tensor<8xf32>
      %3 = stablehlo.iota dim = 0 : tensor<8xf32>
      %4 = func.call @f() : () -> tensor<8xf32>
      sdy.return %2 : tensor<8xf32>
    } : () -> tensor<8xf32>
    %5 = stablehlo.add %1, %1 : tensor<8xf32>
    sdy.return %5 : tensor<8xf32>
  } : () -> tensor<8xf32>
  %6 = stablehlo.add %0, %x : tensor<8xf32>
  %7 = stablehlo.multiply %0, %x : tensor<8xf32>
  %8 = func.call @f() : () -> tensor<8xf32>
  %9 = func.call @g() : () -> tensor<8xf32>
  %10 = stablehlo.multiply %9, %x : tensor<8xf32>
  %11 = stablehlo.multiply %8, %x : tensor<8xf32>
  %12 = stablehlo.multiply %9, %x : tensor<8xf32>
  return %6, %7, %12 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
func.func private @g() -> tensor<8xf32> {
  %0 = func.call @f() : () -> tensor<8xf32>
  %1 = stablehlo.constant dense<2.0> : tensor<8xf32>
  %2 = stablehlo.add %1, %0 : tensor<8xf32>
  %3 = stablehlo.add %2, %0 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
func.func private @f() -> tensor<8xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  %1 = stablehlo.constant dense<2.0> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
