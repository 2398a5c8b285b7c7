// RUN: xshardy-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: func.func @constants
// CHECK-DAG:     %[[A:.*]] = arith.constant 3.000000e-01 : f32
// CHECK-DAG:     %[[B:.*]] = arith.constant 0x7F800000 : f32
// CHECK-DAG:     %[[C:.*]] = arith.constant 3.000000e+00 : f32
// CHECK-DAG:     %[[D:.*]] = arith.constant 0x7FC00000 : f32
// CHECK-DAG:     %[[E:.*]] = arith.constant -1.000000e-01 : f32
// CHECK:         return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
func.func @constants() -> (f32, f32, f32, f32, f32) {
  %x = arith.constant 0.1 : f32
  %y = arith.constant 0.2 : f32
  %z = arith.constant 0.0 : f32
  %three = arith.constant 3.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %a = arith.addf %x, %y : f32
  %b = arith.divf %y, %z : f32
  %c = arith.maxnumf %three, %nan : f32
  %d = arith.maximumf %three, %nan : f32
  %e = arith.negf %x : f32
  return %a, %b, %c, %d, %e : f32, f32, f32, f32, f32
}

// CHECK-LABEL: func.func @idempotent
// CHECK-NEXT:    return %arg0, %arg0, %arg0, %arg0 : f32, f32, f32, f32
func.func @idempotent(%x: f32) -> (f32, f32, f32, f32) {
  %a = arith.maximumf %x, %x : f32
  %b = arith.minimumf %x, %x : f32
  %c = arith.maxnumf %x, %x : f32
  %d = arith.minnumf %x, %x : f32
  return %a, %b, %c, %d : f32, f32, f32, f32
}

// Adding 0.0 is not neutral: it makes 0.0 of -0.0.
// CHECK-LABEL: func.func @neutral
// CHECK-NEXT:    %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    %0 = arith.addf %arg0, %cst : f32
// CHECK-NEXT:    return %arg0, %0, %arg0, %arg0, %arg0 : f32, f32, f32, f32, f32
func.func @neutral(%x: f32) -> (f32, f32, f32, f32, f32) {
  %0 = arith.constant 0.0 : f32
  %m0 = arith.constant -0.0 : f32
  %1 = arith.constant 1.0 : f32
  %a = arith.addf %m0, %x : f32
  %b = arith.addf %x, %0 : f32
  %c = arith.mulf %1, %x : f32
  %d = arith.divf %x, %1 : f32
  %e = arith.maximumf %x, %x : f32
  return %a, %b, %c, %d, %e : f32, f32, f32, f32, f32
}

// CHECK-LABEL: func.func @comparisons
// CHECK-DAG:     %true = arith.constant true
// CHECK-DAG:     %false = arith.constant false
// CHECK:         return %true, %false, %true, %false : i1, i1, i1, i1
func.func @comparisons(%x: f32) -> (i1, i1, i1, i1) {
  %1 = arith.constant 1.0 : f32
  %2 = arith.constant 2.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %a = arith.cmpf olt, %1, %2 : f32
  %b = arith.cmpf oeq, %nan, %nan : f32
  %c = arith.cmpf une, %nan, %1 : f32
  %d = arith.cmpf false, %x, %1 : f32
  return %a, %b, %c, %d : i1, i1, i1, i1
}

// CHECK-LABEL: func.func @conversions
// CHECK-DAG:     %[[A:.*]] = arith.constant 9.997550e-02 : f16
// CHECK-DAG:     %[[B:.*]] = arith.constant -3 : i32
// CHECK-DAG:     %[[C:.*]] = arith.constant 0x41EFFFFFFFE00000 : f64
// CHECK-DAG:     %[[D:.*]] = arith.constant 1065353216 : i32
// CHECK-DAG:     %[[E:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %arg0
func.func @conversions(%x: f32) -> (f16, i32, f64, i32, f32, f32) {
  %tenth = arith.constant 0.1 : f32
  %m35 = arith.constant -3.5 : f32
  %m1 = arith.constant -1 : i32
  %one = arith.constant 1.0 : f32
  %bits = arith.constant 1065353216 : i32
  %a = arith.truncf %tenth : f32 to f16
  %b = arith.fptosi %m35 : f32 to i32
  %c = arith.uitofp %m1 : i32 to f64
  %d = arith.bitcast %one : f32 to i32
  %e = arith.bitcast %bits : i32 to f32
  %wide = arith.extf %x : f32 to f64
  %f = arith.truncf %wide : f64 to f32
  return %a, %b, %c, %d, %e, %f : f16, i32, f64, i32, f32, f32
}

// The bits of a float become those of an integer, or of another float. The bits of a NaN stay with who has them.
// CHECK-LABEL: func.func @bits
// CHECK-DAG:     %[[HALF:.*]] = arith.constant 1.937500e+00 : f16
// CHECK-DAG:     %[[SMALL:.*]] = arith.constant 56 : i8
// CHECK-DAG:     %[[SIGNALING:.*]] = arith.constant 2139095041 : i32
// CHECK-DAG:     %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
// CHECK-NEXT:    %[[TO_FLOAT:.*]] = arith.bitcast %[[SIGNALING]] : i32 to f32
// CHECK-NEXT:    %[[TO_INTEGER:.*]] = arith.bitcast %[[NAN]] : f32 to i32
// CHECK-NEXT:    return %[[HALF]], %[[SMALL]], %[[TO_FLOAT]], %[[TO_INTEGER]]
func.func @bits() -> (f16, i8, f32, i32) {
  %bf16 = arith.constant 1.5 : bf16
  %a = arith.bitcast %bf16 : bf16 to f16
  %f8 = arith.constant 1.0 : f8E4M3FN
  %b = arith.bitcast %f8 : f8E4M3FN to i8
  %signaling = arith.constant 0x7F800001 : i32
  %c = arith.bitcast %signaling : i32 to f32
  %nan = arith.constant 0x7FC00000 : f32
  %d = arith.bitcast %nan : f32 to i32
  return %a, %b, %c, %d : f16, i8, f32, i32
}

// CHECK-LABEL: func.func @bits_there_and_back
// CHECK-NEXT:    %[[BITS:.*]] = arith.bitcast %arg0 : f16 to i16
// CHECK-NEXT:    %[[OTHER:.*]] = arith.bitcast %[[BITS]] : i16 to bf16
// CHECK-NEXT:    return %arg0, %arg0, %[[OTHER]]
func.func @bits_there_and_back(%x: f16) -> (f16, f16, bf16) {
  %a = arith.bitcast %x : f16 to f16
  %bits = arith.bitcast %x : f16 to i16
  %b = arith.bitcast %bits : i16 to f16
  %c = arith.bitcast %bits : i16 to bf16
  return %a, %b, %c : f16, f16, bf16
}

// Python has no numbers of these types, so that nothing is computed.
// CHECK-LABEL: func.func @wider_than_a_double
// CHECK:         arith.bitcast %{{.*}} : i128 to f128
// CHECK:         arith.extf %{{.*}} : f64 to f80
// CHECK:         arith.sitofp %{{.*}} : i32 to f128
func.func @wider_than_a_double() -> (f128, f80, f128) {
  %wide = arith.constant 1 : i128
  %a = arith.bitcast %wide : i128 to f128
  %one = arith.constant 1.0 : f64
  %b = arith.extf %one : f64 to f80
  %narrow = arith.constant 1 : i32
  %c = arith.sitofp %narrow : i32 to f128
  return %a, %b, %c : f128, f80, f128
}

// What does not fit is undefined, and stays.
// CHECK-LABEL: func.func @out_of_range
// CHECK:         arith.fptosi
func.func @out_of_range() -> i8 {
  %x = arith.constant 1000.0 : f32
  %0 = arith.fptosi %x : f32 to i8
  return %0 : i8
}

// CHECK-LABEL: func.func @signs
// CHECK-NEXT:    %0 = arith.mulf %arg0, %arg1 : f32
// CHECK-NEXT:    return %0, %arg0 : f32, f32
func.func @signs(%x: f32, %y: f32) -> (f32, f32) {
  %a = arith.negf %x : f32
  %b = arith.negf %y : f32
  %c = arith.mulf %a, %b : f32
  %d = arith.negf %a : f32
  return %c, %d : f32, f32
}

// CHECK-LABEL: func.func @remainders_have_the_sign_of_the_dividend
// CHECK-DAG:     %[[A:.*]] = arith.constant 1.500000e+00 : f32
// CHECK-DAG:     %[[B:.*]] = arith.constant -1.500000e+00 : f32
// CHECK-DAG:     %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
// CHECK:         return %[[A]], %[[B]], %[[NAN]], %[[NAN]] : f32, f32, f32, f32
func.func @remainders_have_the_sign_of_the_dividend() -> (f32, f32, f32, f32) {
  %x = arith.constant 5.5 : f32
  %y = arith.constant -5.5 : f32
  %two = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %infinity = arith.constant 0x7F800000 : f32
  %a = arith.remf %x, %two : f32
  %b = arith.remf %y, %two : f32
  %c = arith.remf %x, %zero : f32
  %d = arith.remf %infinity, %two : f32
  return %a, %b, %c, %d : f32, f32, f32, f32
}

// CHECK-LABEL: func.func @results_that_overflow_are_infinite
// CHECK-DAG:     %[[A:.*]] = arith.constant 0x7C00 : f16
// CHECK-DAG:     %[[B:.*]] = arith.constant 0xFF800000 : f32
// CHECK:         return %[[A]], %[[B]] : f16, f32
func.func @results_that_overflow_are_infinite() -> (f16, f32) {
  %x = arith.constant 60000.0 : f16
  %y = arith.constant -3.0e38 : f32
  %a = arith.addf %x, %x : f16
  %b = arith.addf %y, %y : f32
  return %a, %b : f16, f32
}
