// RUN: xshardy-opt %s -p hlo-outline-regions | filecheck %s

// A constant is cloned into each function that reads it.
// CHECK-LABEL: func.func @loop_with_constants(
// CHECK: stablehlo.while(%{{.*}} = %arg0) : tensor<i32>
// CHECK: call @condition.0(%{{.*}})
// CHECK: call @body.0(%{{.*}})
func.func @loop_with_constants(%x: tensor<i32>) -> tensor<i32> {
  %c = stablehlo.constant dense<3> : tensor<i32>
  %r = stablehlo.while(%i = %x) : tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.add %i, %c : tensor<i32>
    stablehlo.return %n : tensor<i32>
  }
  return %r : tensor<i32>
}

// A loop also carries what its regions read from outside.
// CHECK-LABEL: func.func @loop(
// CHECK: %{{.*}}:2 = stablehlo.while(%{{.*}} = %arg0, %{{.*}} = %arg1) : tensor<i32>, tensor<i32>
// CHECK: call @condition(%{{.*}})
// CHECK: call @body(%{{.*}})
func.func @loop(%x: tensor<i32>, %y: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.while(%i = %x) : tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.add %i, %y : tensor<i32>
    stablehlo.return %n : tensor<i32>
  }
  return %r : tensor<i32>
}

// CHECK-LABEL: func.func @choose(
// CHECK-SAME: %[[P:[^:]*]]: tensor<i1>, %[[X:[^:]*]]: tensor<f32>, %[[Y:[^:]*]]: tensor<f32>)
// CHECK-NEXT: %[[T:.*]] = stablehlo.tuple %[[X]], %[[Y]]
// CHECK-NEXT: "stablehlo.if"(%[[P]]) ({
// CHECK-NEXT: call @branch(%[[T]])
// CHECK: }, {
// CHECK-NEXT: call @branch.0(%[[X]])
func.func @choose(%p: tensor<i1>, %x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %r = "stablehlo.if"(%p) ({
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %r : tensor<f32>
}

// A constant from outside is copied into the function.
// CHECK-LABEL: func.func @reducer(
// CHECK: hlo.to_apply = @region
func.func @reducer(%x: tensor<4xf32>) -> tensor<f32> {
  %c = stablehlo.constant dense<2.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %c) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %s = stablehlo.multiply %a, %c : tensor<f32>
    %t = stablehlo.add %s, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }
  return %r : tensor<f32>
}

// A loop that calls functions already stays as it is.
// CHECK-LABEL: func.func @calls(
// CHECK: call @stop(
// CHECK: call @go(
func.func @calls(%x: tensor<i32>) -> tensor<i32> {
  %r = stablehlo.while(%i = %x) : tensor<i32>
  cond {
    %p = func.call @stop(%i) : (tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = func.call @go(%i) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %n : tensor<i32>
  }
  return %r : tensor<i32>
}
func.func private @stop(%i: tensor<i32>) -> tensor<i1> {
  %p = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return %p : tensor<i1>
}
func.func private @go(%i: tensor<i32>) -> tensor<i32> {
  return %i : tensor<i32>
}

// CHECK: func.func private @region(
// CHECK-NEXT: stablehlo.constant dense<2.000000e+00> : tensor<f32>
// CHECK: func.func private @condition.0(%{{.*}}: tensor<i32>) -> tensor<i1> {
// CHECK-NEXT: stablehlo.constant dense<3>
// CHECK: func.func private @body.0(%{{.*}}: tensor<i32>) -> tensor<i32> {
// CHECK-NEXT: stablehlo.constant dense<3>
