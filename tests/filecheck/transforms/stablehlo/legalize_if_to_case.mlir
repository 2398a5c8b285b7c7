// RUN: xshardy-opt %s -p stablehlo-legalize-if-to-case | filecheck %s

// The predicate is 1 for the second branch of the case.
// CHECK-LABEL: func.func @two_results(
// CHECK-NEXT:  %0 = stablehlo.convert %arg0 : (tensor<i1>) -> tensor<i32>
// CHECK-NEXT:  %1:2 = "stablehlo.case"(%0) ({
// CHECK-NEXT:    stablehlo.return %arg2, %arg1 : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT:  }, {
// CHECK-NEXT:    %2 = stablehlo.negate %arg1 : tensor<4xf32>
// CHECK-NEXT:    stablehlo.return %2, %arg2 : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT:  }) {kept} : (tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT:  return %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>
func.func @two_results(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = "stablehlo.if"(%p) ({
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1, %y : tensor<4xf32>, tensor<4xf32>
  }, {
    stablehlo.return %y, %x : tensor<4xf32>, tensor<4xf32>
  }) {kept} : (tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @one_in_another(
// CHECK-COUNT-2: stablehlo.case
// CHECK-NOT:   stablehlo.if
func.func @one_in_another(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = "stablehlo.if"(%p) ({
      stablehlo.return %x : tensor<f32>
    }, {
      stablehlo.return %x : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @a_case_stays(
// CHECK-NEXT:  "stablehlo.case"(%arg0)
func.func @a_case_stays(%i: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}
