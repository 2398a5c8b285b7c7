// RUN: xshardy-opt %s -p xla-gpu-lower-xla-intrinsic-lib --split-input-file | filecheck %s
// RUN: xshardy-opt %s -p xla-gpu-lower-xla-intrinsic-lib,xla-gpu-link-xla-intrinsic-lib --split-input-file | filecheck %s --check-prefix LINKED

// A function is declared once, however often it is called.

// CHECK-LABEL: func.func private @xla.exp.f64(f64) -> f64
// CHECK-LABEL: func.func @scalar(
// CHECK-SAME:    %[[X:.*]]: f64)
// CHECK-NEXT:    %[[E:.*]] = call @xla.exp.f64(%[[X]]) : (f64) -> f64
// CHECK-NEXT:    %[[EE:.*]] = call @xla.exp.f64(%[[E]]) : (f64) -> f64
// CHECK-NEXT:    return %[[EE]] : f64

// LINKED-LABEL: func.func private @xla.exp.f64(
// LINKED-SAME:    %[[X:.*]]: f64) -> f64 {
// LINKED-NEXT:    %[[E:.*]] = math.exp %[[X]] : f64
// LINKED-NEXT:    return %[[E]] : f64
func.func @scalar(%x: f64) -> f64 {
  %0 = math.exp %x : f64
  %1 = math.exp %0 : f64
  return %1 : f64
}

// -----

// CHECK-LABEL: func.func @vector(
// CHECK-SAME:    %[[X:.*]]: vector<8xf32>
// CHECK-NEXT:    %[[R:.*]] = call @xla.fptrunc.v8f32.to.v8bf16(%[[X]]) : (vector<8xf32>) -> vector<8xbf16>
// CHECK-NEXT:    return %[[R]] : vector<8xbf16>

// LINKED-LABEL: func.func private @xla.fptrunc.v8f32.to.v8bf16(
// LINKED-NEXT:    arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
func.func @vector(%x: vector<8xf32>) -> vector<8xbf16> {
  %0 = arith.truncf %x : vector<8xf32> to vector<8xbf16>
  return %0 : vector<8xbf16>
}

// -----

// There is no function for two: the scalar one is called twice.

// CHECK-LABEL: func.func @other_length(
// CHECK-SAME:    %[[X:.*]]: vector<2xf32>)
// CHECK-NEXT:    %[[X0:.*]] = vector.extract %[[X]][0] : f32 from vector<2xf32>
// CHECK-NEXT:    %[[R0:.*]] = call @xla.rsqrt.f32(%[[X0]]) : (f32) -> f32
// CHECK-NEXT:    %[[X1:.*]] = vector.extract %[[X]][1] : f32 from vector<2xf32>
// CHECK-NEXT:    %[[R1:.*]] = call @xla.rsqrt.f32(%[[X1]]) : (f32) -> f32
// CHECK-NEXT:    %[[R:.*]] = vector.from_elements %[[R0]], %[[R1]] : vector<2xf32>
// CHECK-NEXT:    return %[[R]] : vector<2xf32>
func.func @other_length(%x: vector<2xf32>) -> vector<2xf32> {
  %0 = math.rsqrt %x : vector<2xf32>
  return %0 : vector<2xf32>
}

// -----

// A float of 16 bits is computed in f32, and rounded by a function too where there is one.

// CHECK-LABEL: func.func @narrow(
// CHECK-SAME:    %[[X:.*]]: f16)
// CHECK-NEXT:    %[[WIDE:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK-NEXT:    %[[T:.*]] = call @xla.tanh.f32(%[[WIDE]]) : (f32) -> f32
// CHECK-NEXT:    %[[R:.*]] = arith.truncf %[[T]] : f32 to f16
// CHECK-NEXT:    return %[[R]] : f16
func.func @narrow(%x: f16) -> f16 {
  %0 = math.tanh %x : f16
  return %0 : f16
}

// -----

// The C library has `erf` of f64, for scalars.

// CHECK-LABEL: func.func @c_library(
// CHECK-COUNT-2: call @erf(%{{.*}}) : (f64) -> f64
// CHECK:         vector.from_elements

// LINKED-LABEL: func.func private @erf(
// LINKED-NEXT:    math.erf %{{.*}} : f64
func.func @c_library(%x: vector<2xf64>) -> vector<2xf64> {
  %0 = math.erf %x : vector<2xf64>
  return %0 : vector<2xf64>
}

// -----

// Neither what the library lacks, nor vectors of more dimensions.

// CHECK-LABEL: func.func @unknown(
// CHECK-NEXT:    math.exp %{{.*}} : f32
// CHECK-NEXT:    arith.truncf %{{.*}} : f64 to f32
// CHECK-NEXT:    math.erf %{{.*}} : vector<2x4xf32>
// CHECK-NEXT:    return
func.func @unknown(%x: f32, %y: f64, %z: vector<2x4xf32>) {
  %0 = math.exp %x : f32
  %1 = arith.truncf %y : f64 to f32
  %2 = math.erf %z : vector<2x4xf32>
  return
}

// -----

// A function of the module with a name of the library stays what it is, and so does one of other types.

// LINKED-LABEL: func.func @own(
// LINKED:         call @xla.exp.f64(
// LINKED:       func.func private @xla.exp.f64(
// LINKED-NEXT:    return %{{.*}} : f64
// LINKED-NEXT:  }
// LINKED:       func.func private @erf(f32) -> f32
func.func @own(%x: f64) -> f64 {
  %0 = math.exp %x : f64
  return %0 : f64
}
func.func private @xla.exp.f64(%x: f64) -> f64 {
  return %x : f64
}
func.func private @erf(f32) -> f32

// -----

// LINKED-LABEL: func.func private @unknown(f64) -> f64
// LINKED-NOT:     {
// LINKED:       func.func @calls_unknown(
func.func private @unknown(f64) -> f64
func.func @calls_unknown(%x: f64) -> f64 {
  %0 = call @unknown(%x) : (f64) -> f64
  return %0 : f64
}

// -----

// The wide result of a function is rounded by another one.

// CHECK-LABEL: func.func @two_functions(
// CHECK:         %[[T:.*]] = call @xla.atan.v4f32(
// CHECK-NEXT:    call @xla.fptrunc.v4f32.to.v4bf16(%[[T]])
// CHECK-NEXT:    call @xla.log1p.f64(
func.func @two_functions(%x: vector<4xbf16>, %y: f64) -> (vector<4xbf16>, f64) {
  %0 = math.atan %x : vector<4xbf16>
  %1 = math.log1p %y : f64
  return %0, %1 : vector<4xbf16>, f64
}
