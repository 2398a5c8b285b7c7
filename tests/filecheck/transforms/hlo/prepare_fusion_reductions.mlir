// RUN: xshardy-opt %s -p hlo-prepare-fusion | filecheck %s

// There is one element to add up.
// CHECK-LABEL: func.func @unit_dimension(
// CHECK-NEXT:    %[[C:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<8xf32>
// CHECK-NEXT:    %[[X:.*]] = stablehlo.reshape %arg0 : (tensor<1x8x1xf32>) -> tensor<8xf32>
// CHECK-NEXT:    %[[R:.*]] = stablehlo.add %[[C]], %[[X]]
// CHECK-NEXT:    return %[[R]]
func.func @unit_dimension(%x: tensor<1x8x1xf32>, %c: tensor<f32>) -> tensor<8xf32> {
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0, 2] : (tensor<1x8x1xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The accumulated value is the second operand.
// CHECK-LABEL: func.func @swapped(
// CHECK-NEXT:    %[[C:.*]] = stablehlo.broadcast_in_dim %arg1
// CHECK-NEXT:    %[[X:.*]] = stablehlo.reshape %arg0
// CHECK-NEXT:    %[[R:.*]] = stablehlo.subtract %[[X]], %[[C]]
func.func @swapped(%x: tensor<8x1xf32>, %c: tensor<f32>) -> tensor<8xf32> {
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %d = stablehlo.subtract %b, %a : tensor<f32>
    stablehlo.return %d : tensor<f32>
  }) : (tensor<8x1xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A sum from zero is no negative zero: adding zero changes nothing.
// CHECK-LABEL: func.func @sum_of_sums(
// CHECK-NEXT:    %[[Z:.*]] = stablehlo.constant
// CHECK-NEXT:    %[[S:.*]] = stablehlo.reduce(%arg0 init: %[[Z]])
// CHECK-NEXT:    %[[V:.*]] = stablehlo.reshape %[[S]] : (tensor<8xf32>) -> tensor<1x8xf32>
// CHECK-NEXT:    %[[R:.*]] = stablehlo.reshape %[[V]] : (tensor<1x8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    return %[[R]]
func.func @sum_of_sums(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.reshape %0 : (tensor<8xf32>) -> tensor<1x8xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// From a negative zero, a sum may be one.
// CHECK-LABEL: func.func @from_negative_zero(
// CHECK:         stablehlo.reduce
// CHECK:         stablehlo.add
func.func @from_negative_zero(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %minus = stablehlo.constant dense<-0.0> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %minus) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.reshape %0 : (tensor<8xf32>) -> tensor<1x8xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// More than one element, a computation of two operations, nothing at all.
// CHECK-LABEL: func.func @others(
// CHECK:         stablehlo.reduce(%arg0
// CHECK:         stablehlo.reduce(%arg1
// CHECK:         stablehlo.reduce(%arg2
func.func @others(%x: tensor<8x2xf32>, %y: tensor<8x1xf32>, %z: tensor<0x1xf32>, %c: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<0xf32>) {
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<8x2xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = "stablehlo.reduce"(%y, %c) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %d = stablehlo.add %b, %a : tensor<f32>
    %e = stablehlo.negate %d : tensor<f32>
    stablehlo.return %e : tensor<f32>
  }) : (tensor<8x1xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.reduce(%z init: %c) applies stablehlo.add across dimensions = [1] : (tensor<0x1xf32>, tensor<f32>) -> tensor<0xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<0xf32>
}

// One summand more than zero is no sum again; neither is a maximum, nor a sum of another number than zero.
// CHECK-LABEL: func.func @no_sums_again(
// CHECK:         stablehlo.add
// CHECK:         stablehlo.add
// CHECK:         stablehlo.maximum
// CHECK:         stablehlo.add
// CHECK:         return
func.func @no_sums_again(%x: tensor<8x1xf32>, %y: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %five = stablehlo.constant dense<5.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x1xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.reduce(%y init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.reshape %1 : (tensor<8xf32>) -> tensor<1x8xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<8xf32>
  %4 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  %5 = stablehlo.reshape %4 : (tensor<8xf32>) -> tensor<1x8xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<8xf32>
  %7 = stablehlo.reduce(%5 init: %five) applies stablehlo.add across dimensions = [0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0, %3, %6, %7 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// What says how its result is in memory, and what compares.
// CHECK-LABEL: func.func @kept(
// CHECK:         stablehlo.reduce{{.*}}(%arg0
// CHECK:         stablehlo.reduce{{.*}}(%arg1
func.func @kept(%x: tensor<8x4x1xf32>, %y: tensor<8x1xi1>, %zero: tensor<f32>, %true: tensor<i1>) -> (tensor<8x4xf32>, tensor<8xi1>) {
  %0 = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {hlo.layout = array<i64: 0, 1>} : (tensor<8x4x1xf32>, tensor<f32>) -> tensor<8x4xf32>
  %1 = "stablehlo.reduce"(%y, %true) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    stablehlo.return %b : tensor<i1>
  }) : (tensor<8x1xi1>, tensor<i1>) -> tensor<8xi1>
  return %0, %1 : tensor<8x4xf32>, tensor<8xi1>
}

// Elements that are combined in a wider type stay a reduction.
// CHECK-LABEL: func.func @promoted(
// CHECK:         stablehlo.reduce(%arg0 init: %arg1)
func.func @promoted(%x: tensor<4x1xi8>, %zero: tensor<i8>) -> tensor<4xi32> {
  %0 = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<4x1xi8>, tensor<i8>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
