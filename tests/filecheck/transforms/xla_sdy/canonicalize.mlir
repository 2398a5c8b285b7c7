// RUN: xshardy-opt %s -p xla-sdy-canonicalize | filecheck %s

sdy.mesh @mesh = <["a"=2, "one"=1]>

// Constants stay where they are, and are not merged.
// CHECK-LABEL: func.func @constants
// CHECK-NEXT:    %0 = sdy.constant dense<1.000000e+00>
// CHECK-NEXT:    %1 = sdy.constant dense<1.000000e+00>
// CHECK-NEXT:    %2 = stablehlo.add %0, %1
// CHECK-NEXT:    return %2
func.func @constants(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.constant dense<1.0> : tensor<8xf32>
  %1 = sdy.constant dense<1.0> : tensor<8xf32>
  %2 = stablehlo.add %0, %1 : tensor<8xf32>
  %3 = stablehlo.negate %x : tensor<8xf32>
  %4 = stablehlo.negate %3 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// A constraint constrains its operand even without a use. Manual computations stay as they are.
// CHECK-LABEL: func.func @kept
// CHECK-NEXT:    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a"}]>
// CHECK-NEXT:    %1 = sdy.manual_computation(%arg0) {{.*}} manual_axes={"one"} (%arg1: tensor<8xf32>) {
// CHECK:         %2 = sdy.manual_computation(%1, %arg0) {{.*}} (%arg1: tensor<4xf32>, %arg2: tensor<8xf32>) {
func.func @kept(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<8xf32>
  %1 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"one"}]>] out_shardings=[<@mesh, [{"one"}]>] manual_axes={"one"} (%y: tensor<8xf32>) {
    %3 = stablehlo.negate %y : tensor<8xf32>
    sdy.return %3 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %2 = sdy.manual_computation(%1, %x) in_shardings=[<@mesh, [{"a"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<4xf32>, %unused: tensor<8xf32>) {
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
