// RUN: xshardy-opt %s -p xla-sdy-import-constants | filecheck %s

// Attributes stay, and constants in regions.
// CHECK-LABEL: func.func @constants
// CHECK-NEXT:    %0 = sdy.constant {keep.me} dense<1.000000e+00> : tensor<8xf32>
// CHECK-NEXT:    %1 = stablehlo.iota dim = 0 : tensor<8xf32>
// CHECK-NEXT:    stablehlo.while
// CHECK:           sdy.constant dense<true> : tensor<i1>
// CHECK-NOT:     stablehlo.constant
func.func @constants() -> tensor<8xf32> {
  %0 = stablehlo.constant {keep.me} dense<1.000000e+00> : tensor<8xf32>
  %1 = stablehlo.iota dim = 0 : tensor<8xf32>
  %2 = stablehlo.while(%a = %0) : tensor<8xf32> cond {
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %1 : tensor<8xf32>
  }
  return %2 : tensor<8xf32>
}
