// RUN: xshardy-opt %s -p sdy-constant-or-scalar-splitter | filecheck %s

// Inside of each copy the constant has two uses.
// CHECK-LABEL: func.func @whole_sub_computation
// CHECK-NEXT:    [[C0:%.*]] = sdy.constant
// CHECK-NEXT:    [[C1:%.*]] = sdy.constant
// CHECK-NEXT:    [[S0:%.*]] = stablehlo.add [[C0]], [[C0]]
// CHECK-NEXT:    [[S1:%.*]] = stablehlo.add [[C1]], [[C1]]
// CHECK-NEXT:    [[U0:%.*]] = stablehlo.add %arg0, [[S0]]
// CHECK-NEXT:    [[U1:%.*]] = stablehlo.multiply %arg0, [[S1]]
// CHECK-NEXT:    return
func.func @whole_sub_computation(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %s = stablehlo.add %c, %c : tensor<8xf32>
  %0 = stablehlo.add %x, %s : tensor<8xf32>
  %1 = stablehlo.multiply %x, %s : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @not_constant
// CHECK-NEXT:    sdy.constant
// CHECK-NEXT:    [[S:%.*]] = stablehlo.add
// CHECK-NEXT:    stablehlo.negate [[S]]
// CHECK-NEXT:    stablehlo.abs [[S]]
func.func @not_constant(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %s = stablehlo.add %x, %c : tensor<8xf32>
  %0 = stablehlo.negate %s : tensor<8xf32>
  %1 = stablehlo.abs %s : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @scalar_stays
// CHECK-COUNT-1: sdy.constant
// CHECK-NOT:     sdy.constant
func.func @scalar_stays(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.add %x, %c : tensor<f32>
  %1 = stablehlo.multiply %x, %c : tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func.func @expansion_of_scalar
// CHECK-NEXT:    [[B0:%.*]] = stablehlo.broadcast_in_dim %arg0
// CHECK-NEXT:    [[B1:%.*]] = stablehlo.broadcast_in_dim %arg0
// CHECK-NEXT:    stablehlo.negate [[B0]]
// CHECK-NEXT:    stablehlo.abs [[B1]]
func.func @expansion_of_scalar(%x: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %b = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %0 = stablehlo.negate %b : tensor<8xf32>
  %1 = stablehlo.abs %b : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Each result has one use, and the operation two: each use gets the computation of its own.
// CHECK-LABEL: func.func @two_results_used_once_each
// CHECK-NEXT:    sdy.constant dense<2.000000e+00>
// CHECK-NEXT:    sdy.constant dense<2.000000e+00>
// CHECK-NEXT:    %[[F:.*]]:2 = sdy.named_computation<"pair">(%0)
// CHECK:         %[[G:.*]]:2 = sdy.named_computation<"pair">(%1)
// CHECK:         stablehlo.tanh %[[G]]#0
// CHECK-NEXT:    stablehlo.add %arg0, %[[F]]#1
func.func @two_results_used_once_each(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = stablehlo.constant dense<2.0> : tensor<4xf32>
  %p:2 = sdy.named_computation<"pair">(%c) (%a: tensor<4xf32>) {
    %n = stablehlo.negate %a : tensor<4xf32>
    sdy.return %n, %a : tensor<4xf32>, tensor<4xf32>
  } : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %0 = stablehlo.tanh %p#0 : tensor<4xf32>
  %1 = stablehlo.add %x, %p#1 : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A loop beside a named computation is split with the function around it: it is no computation of its own.
// CHECK-LABEL: func.func @loop_beside_a_named_computation
// CHECK:           sdy.constant dense<true>
// CHECK:           %[[A:.*]] = sdy.constant dense<1.000000e+00>
// CHECK-NEXT:      %[[B:.*]] = sdy.constant dense<1.000000e+00>
// CHECK-NEXT:      stablehlo.add %{{.*}}, %[[A]]
// CHECK-NEXT:      stablehlo.multiply %{{.*}}, %[[B]]
func.func @loop_beside_a_named_computation(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sdy.named_computation<"f">(%x) (%a: tensor<4xf32>) {
    sdy.return %a : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.while(%i = %0) : tensor<4xf32>
  cond {
    %2 = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %c = stablehlo.constant dense<1.0> : tensor<4xf32>
    %2 = stablehlo.add %i, %c : tensor<4xf32>
    %3 = stablehlo.multiply %2, %c : tensor<4xf32>
    stablehlo.return %3 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}
