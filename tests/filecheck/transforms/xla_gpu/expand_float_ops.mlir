// RUN: xshardy-opt %s -p xla-gpu-expand-float-ops,canonicalize --split-input-file | filecheck %s
// RUN: xshardy-opt %s -p 'xla-gpu-expand-float-ops{approximate_tanh=false}' --split-input-file | filecheck %s --check-prefix=EXACT

// An f8E5M2 is the upper half of an f16.

// CHECK-LABEL: func.func @f8E5M2_to_f64(
// CHECK-SAME:    %[[X:.*]]: f8E5M2) -> f64 {
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[X]] : f8E5M2 to i8
// CHECK-NEXT:    %[[WIDE:.*]] = arith.extui %[[BITS]] : i8 to i16
// CHECK-NEXT:    %[[UP:.*]] = arith.shli %[[WIDE]], %{{.*}} : i16
// CHECK-NEXT:    %[[HALF:.*]] = arith.bitcast %[[UP]] : i16 to f16
// CHECK-NEXT:    %[[DOUBLE:.*]] = arith.extf %[[HALF]] : f16 to f64
// CHECK-NEXT:    return %[[DOUBLE]] : f64
func.func @f8E5M2_to_f64(%x: f8E5M2) -> f64 {
  %0 = arith.extf %x : f8E5M2 to f64
  return %0 : f64
}

// -----

// f64 is rounded once, so there is no f32 in between.

// CHECK-LABEL: func.func @f64_to_f8(
// CHECK-NOT:     arith.truncf
// CHECK-NOT:     f32
// CHECK:         %[[BITS:.*]] = arith.trunci %{{.*}} : i64 to i8
// CHECK:         arith.bitcast %{{.*}} : i8 to f8E4M3FN
func.func @f64_to_f8(%x: f64) -> f8E4M3FN {
  %0 = arith.truncf %x : f64 to f8E4M3FN
  return %0 : f8E4M3FN
}

// -----

// Arithmetic, and what else takes a small float, is done in f32.

// CHECK-LABEL: func.func @arithmetic(
// CHECK-COUNT-2: builtin.unrealized_conversion_cast
func.func @arithmetic(%i: i8, %j: i8) -> i8 {
  %x = builtin.unrealized_conversion_cast %i : i8 to f8E4M3FN
  %y = builtin.unrealized_conversion_cast %j : i8 to f8E4M3FN
  // CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<nnan> : f32
  %product = arith.mulf %x, %y fastmath<nnan> : f8E4M3FN
  // CHECK: math.sqrt %{{.*}} : f32
  %root = math.sqrt %product : f8E4M3FN
  // CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f32
  %less = arith.cmpf olt, %root, %x : f8E4M3FN
  // CHECK: arith.fptoui %{{.*}} : f32 to i16
  %integer = arith.fptoui %root : f8E4M3FN to i16
  // CHECK: arith.uitofp %{{.*}} : i16 to f32
  %float = arith.uitofp %integer : i16 to f8E4M3FN
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f8E4M3FN
  %chosen = arith.select %less, %float, %x : f8E4M3FN
  %k = builtin.unrealized_conversion_cast %chosen : f8E4M3FN to i8
  return %k : i8
}

// -----

// Minus zero is NaN in this format: its absolute value is NaN.

// CHECK-LABEL: func.func @abs_without_minus_zero(
// CHECK-DAG:     %[[NAN:.*]] = arith.constant -128 : i8
// CHECK-DAG:     %[[MASK:.*]] = arith.constant 127 : i8
// CHECK:         %[[BITS:.*]] = arith.bitcast %{{.*}} : f8E4M3FNUZ to i8
// CHECK:         %[[ABS:.*]] = arith.andi %[[BITS]], %[[MASK]] : i8
// CHECK:         %[[IS_NAN:.*]] = arith.cmpi eq, %[[BITS]], %[[NAN]] : i8
// CHECK:         %[[R:.*]] = arith.select %[[IS_NAN]], %[[BITS]], %[[ABS]] : i8
func.func @abs_without_minus_zero(%x: f8E4M3FNUZ) -> f8E4M3FNUZ {
  %0 = math.absf %x : f8E4M3FNUZ
  return %0 : f8E4M3FNUZ
}

// -----

// Approximations are for f32 only.

// CHECK-LABEL: func.func @approximations(
// CHECK-NOT:     math.tanh %{{.*}} : f32
// CHECK-NOT:     math.erf %{{.*}} : f32
// CHECK:         math.tanh %{{.*}} : bf16
// CHECK-NEXT:    math.erf %{{.*}} : f64
// EXACT-LABEL: func.func @approximations(
// EXACT:         math.tanh %{{.*}} : f32
// EXACT-NOT:     math.erf %{{.*}} : f32
func.func @approximations(%x: f32, %y: bf16, %z: f64) -> (f32, f32, bf16, f64) {
  %0 = math.tanh %x : f32
  %1 = math.erf %x : f32
  %2 = math.tanh %y : bf16
  %3 = math.erf %z : f64
  return %0, %1, %2, %3 : f32, f32, bf16, f64
}

// -----

// What the target has stays as it is.

// CHECK-LABEL: func.func @others(
// CHECK-NEXT:    arith.truncf %{{.*}} : f32 to bf16
// CHECK-NEXT:    arith.extf %{{.*}} : bf16 to f64
// CHECK-NEXT:    arith.maximumf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT:    return
func.func @others(%x: f32, %y: f32) -> (f64, f32) {
  %0 = arith.truncf %x : f32 to bf16
  %1 = arith.extf %0 : bf16 to f64
  %2 = arith.maximumf %x, %y : f32
  return %1, %2 : f64, f32
}
