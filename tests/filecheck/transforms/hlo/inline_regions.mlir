// RUN: xshardy-opt %s -p hlo-inline-regions | filecheck %s
// RUN: xshardy-opt %s -p hlo-inline-regions,hlo-outline-regions,hlo-dissolve-tuples,hlo-inline-regions | filecheck %s

// What the loop does not change is captured.
// CHECK-LABEL: func.func @loop
// CHECK-NEXT:    %0 = stablehlo.while(%iterArg = %arg0) : tensor<i32>
// CHECK-NEXT:    cond {
// CHECK-NEXT:      %1 = stablehlo.compare LT, %iterArg, %arg1
// CHECK-NEXT:      stablehlo.return %1
// CHECK-NEXT:    } do {
// CHECK-NEXT:      %1 = stablehlo.add %iterArg, %arg1
// CHECK-NEXT:      stablehlo.return %1
// CHECK-NEXT:    }
// CHECK-NEXT:    return %0, %arg1
func.func @loop(%x: tensor<i32>, %y: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %0:2 = stablehlo.while(%a = %x, %b = %y) : tensor<i32>, tensor<i32> cond {
    %1 = func.call @cond(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1:2 = func.call @body(%a, %b) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    stablehlo.return %1#0, %1#1 : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}
func.func private @cond(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func private @body(%a: tensor<i32>, %b: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %0 = stablehlo.add %a, %b : tensor<i32>
  return %0, %b : tensor<i32>, tensor<i32>
}

// A computation that is called elsewhere too stays.
// CHECK-LABEL: func.func @branches
// CHECK-NEXT:    %0 = "stablehlo.if"(%arg0) ({
// CHECK-NEXT:      %2 = stablehlo.negate %arg1
// CHECK-NEXT:      stablehlo.return %2
// CHECK-NEXT:    }, {
// CHECK-NEXT:      %2 = stablehlo.negate %arg1
// CHECK:         %1 = call @negated(%0)
// CHECK:       func.func private @negated
// CHECK-NOT:   func.func
func.func @branches(%p: tensor<i1>, %x: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = func.call @negated(%x) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }, {
    %1 = func.call @negated(%x) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  %2 = func.call @negated(%0) : (tensor<i32>) -> tensor<i32>
  return %2 : tensor<i32>
}
func.func private @negated(%x: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.negate %x : tensor<i32>
  return %0 : tensor<i32>
}
