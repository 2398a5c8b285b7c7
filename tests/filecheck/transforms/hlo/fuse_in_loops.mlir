// RUN: xshardy-opt %s -p hlo-fuse | filecheck %s

// What a loop reads stays outside of it: only what is applied to elements gets copies of constants.
// CHECK-LABEL: func.func @constant_outside(
// CHECK:         %[[C:.*]] = stablehlo.constant dense<[1.000000e+00,
// CHECK:         stablehlo.while
// CHECK-NOT:     stablehlo.constant
// CHECK:         hlo.fusion loop @{{.*}}(%{{.*}}, %[[C]])
func.func @constant_outside(%x: tensor<32xf32>) -> tensor<32xf32> {
  %c = stablehlo.constant dense<[1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0]> : tensor<32xf32>
  %0 = stablehlo.while(%a = %x) : tensor<32xf32>
  cond {
    %go = "stablehlo.custom_call"() <{call_target_name = "go"}> : () -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %1 = stablehlo.add %a, %c : tensor<32xf32>
    stablehlo.return %1 : tensor<32xf32>
  }
  return %0 : tensor<32xf32>
}
