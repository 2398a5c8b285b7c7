// RUN: xshardy-opt %s -p xla-gpu-recover-exp2 --split-input-file | filecheck %s

// The constant on either side, and as it was rounded to the type or to a smaller one.

// CHECK-LABEL: func.func @recovered(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: bf16, %[[Z:.*]]: f64)
// CHECK-NEXT:    math.exp2 %[[X]] fastmath<nnan> : f32
// CHECK-NEXT:    math.exp2 %[[Y]] : bf16
// CHECK-NEXT:    math.exp2 %[[Z]] : f64
// CHECK-NEXT:    return
func.func @recovered(%x: f32, %y: bf16, %z: f64) -> (f32, bf16, f64) {
  %ln2_f32 = arith.constant 0.693147182 : f32
  %ln2_bf16 = arith.constant 6.914060e-01 : bf16
  %ln2_f32_as_f64 = arith.constant 0.6931471824645996 : f64
  %0 = arith.mulf %ln2_f32, %x : f32
  %1 = math.exp %0 fastmath<nnan> : f32
  %2 = arith.mulf %y, %ln2_bf16 : bf16
  %3 = math.exp %2 : bf16
  %4 = arith.mulf %z, %ln2_f32_as_f64 : f64
  %5 = math.exp %4 : f64
  return %1, %3, %5 : f32, bf16, f64
}

// -----

// What something else uses stays.

// CHECK-LABEL: func.func @used_elsewhere(
// CHECK-SAME:    %[[X:.*]]: f32)
// CHECK-NEXT:    %[[C:.*]] = arith.constant
// CHECK-NEXT:    %[[P:.*]] = arith.mulf %[[X]], %[[C]] : f32
// CHECK-NEXT:    %[[E:.*]] = math.exp2 %[[X]] : f32
// CHECK-NEXT:    return %[[P]], %[[E]]
func.func @used_elsewhere(%x: f32) -> (f32, f32) {
  %ln2 = arith.constant 0.693147182 : f32
  %p = arith.mulf %x, %ln2 : f32
  %e = math.exp %p : f32
  return %p, %e : f32, f32
}

// -----

// Another number, a sum, a product of two values, the square of ln 2.

// CHECK-LABEL: func.func @kept(
// CHECK-COUNT-4: math.exp %
// CHECK-NOT:     math.exp2
func.func @kept(%x: f32, %y: f32) -> (f32, f32, f32, f32) {
  %c = arith.constant 0.7 : f32
  %ln2 = arith.constant 0.693147182 : f32
  %0 = arith.mulf %x, %c : f32
  %1 = math.exp %0 : f32
  %2 = arith.addf %x, %ln2 : f32
  %3 = math.exp %2 : f32
  %4 = arith.mulf %x, %y : f32
  %5 = math.exp %4 : f32
  %6 = math.exp %x : f32
  return %1, %3, %5, %6 : f32, f32, f32, f32
}
