// RUN: xshardy-opt %s -p sdy-keep-partial-sums | filecheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @linear
func.func @linear(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}, %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}, %f: tensor<8x4xf32>) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) {
  // CHECK-NEXT: %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}], unreduced={"x"}>]>}
  // CHECK-NEXT: %1 = stablehlo.multiply %0, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}], unreduced={"x"}>]>}
  // CHECK-NEXT: %2 = stablehlo.transpose %1, dims = [1, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}], unreduced={"x"}>]>}
  // CHECK-NEXT: return %2
  %0 = stablehlo.add %a, %b : tensor<8x4xf32>
  %1 = stablehlo.multiply %0, %f : tensor<8x4xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// Only one of the operands of a sum is a part: the other would be added by every device.
// CHECK-LABEL: func.func @sum_with_a_whole_tensor
func.func @sum_with_a_whole_tensor(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %b: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %0 = sdy.reshard %arg0 <@mesh, [{}]>
  // CHECK-NEXT: %1 = stablehlo.add %0, %arg1 : tensor<4xf32>
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @sum_that_is_to_be_unreduced
func.func @sum_that_is_to_be_unreduced(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %b: tensor<4xf32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  // CHECK-NEXT: %0 = sdy.reshard %arg1 <@mesh, [{?}], unreduced={"x"}>
  // CHECK-NEXT: %1 = stablehlo.add %arg0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>}
  %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Zeros are parts of a sum anyway.
// CHECK-LABEL: func.func @zeros
func.func @zeros(%p: tensor<i1>, %a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %0 = stablehlo.constant dense<0.0> : tensor<4xf32>
  // CHECK:      stablehlo.select %arg0, %arg1, {{%.+}} {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}], unreduced={"x"}>]>}
  %1 = stablehlo.select %p, %a, %0 : tensor<i1>, tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A product of two parts of the same sum, and what is not linear; once for several readers.
// CHECK-LABEL: func.func @not_linear
func.func @not_linear(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %0 = sdy.reshard %arg0 <@mesh, [{}]>
  // CHECK-NEXT: %1 = stablehlo.multiply %0, %0 : tensor<4xf32>
  // CHECK-NEXT: %2 = stablehlo.tanh %0 : tensor<4xf32>
  %0 = stablehlo.multiply %a, %a : tensor<4xf32>
  %1 = stablehlo.tanh %a : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Parts along different axes multiply.
// CHECK-LABEL: func.func @product_along_two_axes
func.func @product_along_two_axes(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}) {
  // CHECK-NEXT: %0 = stablehlo.multiply %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}], unreduced={"x", "y"}>]>}
  // CHECK-NEXT: %1 = sdy.reshard %0 <@mesh, [{}], unreduced={"y"}>
  %0 = stablehlo.multiply %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @unreduced_result_of_what_is_whole
func.func @unreduced_result_of_what_is_whole(%a: tensor<4xf32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  // CHECK-NEXT: %0 = stablehlo.tanh %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>}
  // CHECK-NEXT: %1 = sdy.reshard %0 <@mesh, [{}], unreduced={"x"}>
  %0 = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// From one axis to another: reduced first.
// CHECK-LABEL: func.func @other_axis
func.func @other_axis(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}) {
  // CHECK-NEXT: %0 = sdy.reshard %arg0 <@mesh, [{}]>
  // CHECK-NEXT: %1 = sdy.reshard %0 <@mesh, [{}], unreduced={"y"}>
  %0 = sdy.reshard %a <@mesh, [{}], unreduced={"y"}> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A larger tensor would be reduced at a higher cost.
// CHECK-LABEL: func.func @broadcast
func.func @broadcast(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<9x4xf32> {
  // CHECK-NEXT: %0 = sdy.reshard %arg0 <@mesh, [{}]>
  // CHECK-NEXT: %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xf32>) -> tensor<9x4xf32>
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> tensor<9x4xf32>
  return %0 : tensor<9x4xf32>
}

// The maximum of maxima; sums of maxima are not.
// CHECK-LABEL: func.func @maxima
func.func @maxima(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}, %b: tensor<4xf32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"x"}>}, tensor<4xf32>) {
  // CHECK-NEXT: %0 = sdy.reshard %arg0 <@mesh, [{}]>
  // CHECK-NEXT: %1 = stablehlo.maximum %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}], unreduced=max{"x"}>]>}
  // CHECK-NEXT: %2 = stablehlo.add %0, %arg1 : tensor<4xf32>
  %0 = stablehlo.maximum %a, %b : tensor<4xf32>
  %1 = stablehlo.add %a, %b : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// What a loop carries; the second value is squared in the loop.
// CHECK-LABEL: func.func @loop
func.func @loop(%n: tensor<i32>, %a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zeros = stablehlo.constant dense<0.0> : tensor<4xf32>
  // CHECK:      [[ZEROS:%.+]] = sdy.reshard {{%.+}} <@mesh, [{?}], unreduced={"x"}>
  // CHECK:      stablehlo.while(%iterArg = %arg0, [[SUM:%.+]] = [[ZEROS]], {{.+}}) : {{.+}} attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{?}], unreduced={"x"}>, <@mesh, [{?}]>]>}
  %0:3 = stablehlo.while(%i = %n, %s = %zeros, %t = %a) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  cond {
    %c = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    // CHECK:      stablehlo.add [[SUM]], %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}], unreduced={"x"}>]>}
    %u = stablehlo.add %s, %a : tensor<4xf32>
    %v = stablehlo.multiply %t, %t : tensor<4xf32>
    stablehlo.return %j, %u, %v : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>
}

// Sums of integers wrap around by the width of their type, so that the sum in a wider one is another.
// CHECK-LABEL: func.func @integers_in_a_wider_type
func.func @integers_in_a_wider_type(%a: tensor<4xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %b: tensor<4xi8>) -> (tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, tensor<i32>) {
  // CHECK-NEXT: %0 = sdy.reshard %arg0 <@mesh, [{}]>
  // CHECK-NEXT: %1 = stablehlo.convert %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>}
  // CHECK-NEXT: %2 = sdy.reshard %1 <@mesh, [{}], unreduced={"x"}>
  // CHECK-NEXT: %3 = stablehlo.convert %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>}
  // CHECK-NEXT: %4 = sdy.reshard %3 <@mesh, [{}], unreduced={"x"}>
  // CHECK-NEXT: %5 = stablehlo.dot_general %0, %arg1
  %0 = stablehlo.convert %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : (tensor<4xi8>) -> tensor<4xi32>
  %1 = stablehlo.convert %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : (tensor<4xi8>) -> tensor<4xf32>
  %2 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<4xi8>, tensor<4xi8>) -> tensor<i32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xf32>, tensor<i32>
}

// A conditional has parts if both of its branches return parts; otherwise the one that does is reduced.
// CHECK-LABEL: func.func @branches_with_parts
func.func @branches_with_parts(%p: tensor<i1>, %a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<4xf32> {
  // CHECK:      stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}], unreduced={"x"}>]>}
  // CHECK:      }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}], unreduced={"x"}>]>} : (tensor<i1>) -> tensor<4xf32>
  // CHECK-NEXT: %1 = sdy.reshard %0 <@mesh, [{?}]>
  // CHECK-NEXT: return %1
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.negate %a : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @one_branch_with_parts
func.func @one_branch_with_parts(%p: tensor<i1>, %a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %b: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK:      %1 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}], unreduced={"x"}>]>}
  // CHECK-NEXT: %2 = sdy.reshard %1 <@mesh, [{?}]>
  // CHECK-NEXT: stablehlo.return %2
  // CHECK:      }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>} : (tensor<i1>) -> tensor<4xf32>
  // CHECK-NEXT: return %0
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.negate %a : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %b : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
