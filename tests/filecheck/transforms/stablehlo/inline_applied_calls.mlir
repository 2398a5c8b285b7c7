// RUN: xshardy-opt %s -p stablehlo-inline-applied-calls | filecheck %s

// CHECK-LABEL: func.func @reducer
// CHECK:       reducer(%{{[^ ]+}}: tensor<f32>, %{{[^ ]+}}: tensor<f32>) {
// CHECK-NEXT:      %[[SUM:.*]] = stablehlo.add
// CHECK-NEXT:      %[[ABS:.*]] = stablehlo.abs %[[SUM]]
// CHECK-NEXT:      stablehlo.return %[[ABS]]
func.func @reducer(%x: tensor<8xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %1 = func.call @outer(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @comparator_and_map
// CHECK:       "stablehlo.sort"
// CHECK-NOT:   call
// CHECK:       stablehlo.compare GT
// CHECK:       "stablehlo.map"
// CHECK-NOT:   call
// CHECK:       return
func.func @comparator_and_map(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = func.call @larger(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "stablehlo.map"(%x, %x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = func.call @outer(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Other calls stay, also in a loop, whose regions are not applied to elements.
// CHECK-LABEL: func.func @loop
// CHECK:       call @inner
// CHECK:       call @inner
func.func @loop(%x: tensor<f32>, %more: tensor<i1>) -> tensor<f32> {
  %0 = func.call @inner(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.while(%i = %0) : tensor<f32>
  cond {
    stablehlo.return %more : tensor<i1>
  } do {
    %2 = func.call @inner(%i, %i) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  return %1 : tensor<f32>
}

func.func private @outer(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = func.call @inner(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.abs %0 : tensor<f32>
  return %1 : tensor<f32>
}
func.func private @inner(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @larger(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
