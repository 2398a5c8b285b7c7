// RUN: xshardy-opt %s -p xla-sdy-open-while-free-vars-sharding | filecheck %s
// RUN: xshardy-opt %s -p xla-sdy-open-while-free-vars-sharding,xla-sdy-open-while-free-vars-sharding | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// What a loop captures is open in it, once for all uses; what comes as an operand, or is used outside, stays.
// CHECK-LABEL: func.func @captures
// CHECK-NEXT:    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
// CHECK-NEXT:    %1 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>}
// CHECK-NEXT:    %2 = stablehlo.negate %arg0 : tensor<8xf32>
// CHECK-DAG:     %[[X:.*]] = sdy.sharding_constraint %arg0 <@mesh, [{?}]> : tensor<8xf32>
// CHECK-DAG:     %[[Y:.*]] = sdy.sharding_constraint %0 <@mesh, [{?}]> : tensor<8xf32>
// CHECK-NEXT:    stablehlo.while(%{{.*}} = %arg0)
// CHECK:           %[[A:.*]] = stablehlo.add %[[X]], %[[Y]]
// CHECK-NEXT:      %[[B:.*]] = stablehlo.add %[[A]], %1
// CHECK-NEXT:      %[[C:.*]] = stablehlo.add %[[B]], %2
// CHECK-NEXT:      %{{.*}} = stablehlo.add %[[C]], %[[X]]
// CHECK:         stablehlo.negate %0
func.func @captures(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
  %1 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>} : tensor<8xf32>
  %2 = stablehlo.negate %x : tensor<8xf32>
  %3 = stablehlo.while(%a = %x) : tensor<8xf32> cond {
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %b = stablehlo.add %x, %0 : tensor<8xf32>
    %d = stablehlo.add %b, %1 : tensor<8xf32>
    %e = stablehlo.add %d, %2 : tensor<8xf32>
    %f = stablehlo.add %e, %x : tensor<8xf32>
    stablehlo.return %f : tensor<8xf32>
  }
  %4 = stablehlo.negate %0 : tensor<8xf32>
  return %4 : tensor<8xf32>
}

// CHECK-LABEL: func.func @condition_captures
// CHECK:         %[[X:.*]] = sdy.sharding_constraint %arg0 <@mesh, [{?}]> : tensor<8xi1>
// CHECK-NEXT:    stablehlo.while
// CHECK:           stablehlo.slice %[[X]]
func.func @condition_captures(%x: tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<i1> {
  %c = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.while(%a = %c) : tensor<i1> cond {
    %1 = stablehlo.slice %x [0:1] : (tensor<8xi1>) -> tensor<1xi1>
    %2 = stablehlo.reshape %1 : (tensor<1xi1>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    stablehlo.return %a : tensor<i1>
  }
  return %0 : tensor<i1>
}

// A scalar has no dimension to open.
// CHECK-LABEL: func.func @scalar
// CHECK-NOT:     sharding_constraint
// CHECK:         return
func.func @scalar(%x: tensor<i1> {sdy.sharding = #sdy.sharding<@mesh, []>}) -> tensor<i1> {
  %0 = stablehlo.while(%a = %x) : tensor<i1> cond {
    stablehlo.return %x : tensor<i1>
  } do {
    stablehlo.return %x : tensor<i1>
  }
  return %0 : tensor<i1>
}

// The outer loop captures what the inner one does.
// CHECK-LABEL: func.func @nested
// CHECK-NEXT:    %[[OUTER:.*]] = sdy.sharding_constraint %arg0 <@mesh, [{?}]>
// CHECK-NEXT:    stablehlo.while
// CHECK:           stablehlo.while
// CHECK:             stablehlo.return %{{.*}} : tensor<8xf32>
func.func @nested(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %p: tensor<i1>) -> tensor<8xf32> {
  %0 = stablehlo.while(%a = %x) : tensor<8xf32> cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.while(%b = %a) : tensor<8xf32> cond {
      stablehlo.return %p : tensor<i1>
    } do {
      stablehlo.return %x : tensor<8xf32>
    }
    stablehlo.return %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// A scalar has no dimension to open.
// CHECK-LABEL: func.func @captured_scalar
// CHECK-NOT:     sdy.sharding_constraint
func.func @captured_scalar(%x: tensor<f32>, %s: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], replicated={"a"}>}, %c: tensor<i1>) {
  %0 = stablehlo.while(%i = %x) : tensor<f32>
  cond {
    stablehlo.return %c : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %s : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return
}
