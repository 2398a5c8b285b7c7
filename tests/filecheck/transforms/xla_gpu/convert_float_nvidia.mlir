// RUN: xshardy-opt %s -p 'xla-gpu-convert-float-nvidia{compute_capability_major=9 ptx_version_major=7 ptx_version_minor=8}' --split-input-file | filecheck %s
// RUN: xshardy-opt %s -p 'xla-gpu-convert-float-nvidia{compute_capability_major=8 compute_capability_minor=6 ptx_version_major=8 ptx_version_minor=1}' --split-input-file | filecheck %s --check-prefix=OLDER
// RUN: xshardy-opt %s -p 'xla-gpu-convert-float-nvidia{compute_capability_major=9 ptx_version_major=7 ptx_version_minor=7}' --split-input-file | filecheck %s --check-prefix=OLDER

// The value is the lower of the pair; what is greater than 464, and no NaN, becomes the NaN of the format, which follows
// the largest number.

// CHECK-LABEL: func.func @truncate(
// CHECK-SAME:    %[[X:.*]]: f32) -> f8E4M3FN {
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:    %[[PAIR:.*]] = llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"(%[[ZERO]], %[[X]]) : (f32, f32) -> i16
// CHECK-NEXT:    %[[BITS:.*]] = llvm.trunc %[[PAIR]] : i16 to i8
// CHECK:         %[[LAST:.*]] = arith.constant 1139277824 : i32
// CHECK:         %[[ONE:.*]] = arith.constant 1 : i8
// CHECK-NEXT:    %[[NAN:.*]] = arith.addi %[[BITS]], %[[ONE]] : i8
// CHECK-NEXT:    %[[R:.*]] = arith.select %{{.*}}, %[[NAN]], %[[BITS]] : i8
// CHECK-NEXT:    %{{.*}} = arith.bitcast %[[R]] : i8 to f8E4M3FN
// OLDER-LABEL: func.func @truncate(
// OLDER-NEXT:    arith.truncf %{{.*}} : f32 to f8E4M3FN
func.func @truncate(%x: f32) -> f8E4M3FN {
  %0 = arith.truncf %x : f32 to f8E4M3FN
  return %0 : f8E4M3FN
}

// -----

// CHECK-LABEL: func.func @truncate_halves(
// CHECK:         llvm.call_intrinsic "llvm.nvvm.f16x2.to.e4m3x2.rn"(
// CHECK:         llvm.call_intrinsic "llvm.nvvm.f16x2.to.e5m2x2.rn"(
func.func @truncate_halves(%x: f16) -> (f8E4M3FN, f8E5M2) {
  %0 = arith.truncf %x : f16 to f8E4M3FN
  %1 = arith.truncf %x : f16 to f8E5M2
  return %0, %1 : f8E4M3FN, f8E5M2
}

// -----

// CHECK-LABEL: func.func @extend(
// CHECK-SAME:    %[[X:.*]]: f8E5M2) -> f64 {
// CHECK-NEXT:    %[[BITS:.*]] = arith.bitcast %[[X]] : f8E5M2 to i8
// CHECK-NEXT:    %[[WIDE:.*]] = llvm.zext %[[BITS]] : i8 to i16
// CHECK-NEXT:    %[[PAIR:.*]] = llvm.call_intrinsic "llvm.nvvm.e5m2x2.to.f16x2.rn"(%[[WIDE]]) : (i16) -> vector<2xf16>
// CHECK-NEXT:    %[[I:.*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[HALF:.*]] = llvm.extractelement %[[PAIR]][%[[I]] : i32] : vector<2xf16>
// CHECK-NEXT:    %[[SINGLE:.*]] = arith.extf %[[HALF]] : f16 to f32
// CHECK-NEXT:    %{{.*}} = arith.extf %[[SINGLE]] : f32 to f64
// OLDER-LABEL: func.func @extend(
// OLDER-NEXT:    arith.extf %{{.*}} : f8E5M2 to f64
func.func @extend(%x: f8E5M2) -> f64 {
  %0 = arith.extf %x : f8E5M2 to f64
  return %0 : f64
}

// -----

// Formats without an instruction, here or at all, and conversions of wide floats.

// CHECK-LABEL: func.func @kept(
// CHECK-NEXT:    arith.truncf %{{.*}} : f32 to f4E2M1FN
// CHECK-NEXT:    arith.truncf %{{.*}} : f32 to f8E4M3FNUZ
// CHECK-NEXT:    arith.extf %{{.*}} : f8E8M0FNU to f32
// CHECK-NEXT:    arith.truncf %{{.*}} : f32 to bf16
// CHECK-NEXT:    return
func.func @kept(%x: f32, %y: f8E8M0FNU) -> (f4E2M1FN, f8E4M3FNUZ, f32, bf16) {
  %0 = arith.truncf %x : f32 to f4E2M1FN
  %1 = arith.truncf %x : f32 to f8E4M3FNUZ
  %2 = arith.extf %y : f8E8M0FNU to f32
  %3 = arith.truncf %x : f32 to bf16
  return %0, %1, %2, %3 : f4E2M1FN, f8E4M3FNUZ, f32, bf16
}

// -----

// Two neighbours in a vector are one pair, and one instruction.

// CHECK-LABEL: func.func @extend_pair(
// CHECK-SAME:    %[[V:.*]]: vector<4xf32>
// CHECK:         %[[F8:.*]] = "test.op"
// CHECK-NEXT:    %[[BYTES:.*]] = builtin.unrealized_conversion_cast %[[F8]] : vector<2xf8E5M2> to vector<2xi8>
// CHECK-NEXT:    %[[WORDS:.*]] = llvm.bitcast %[[BYTES]] : vector<2xi8> to vector<1xi16>
// CHECK:         %[[PAIR:.*]] = llvm.extractelement %[[WORDS]][%{{.*}} : i32] : vector<1xi16>
// CHECK-NEXT:    %[[HALVES:.*]] = llvm.call_intrinsic "llvm.nvvm.e5m2x2.to.f16x2.rn"(%[[PAIR]]) : (i16) -> vector<2xf16>
// CHECK-NOT:     llvm.call_intrinsic
// CHECK:         return
func.func @extend_pair(%v: vector<4xf32>) -> (f16, f32) {
  %f8 = "test.op"(%v) : (vector<4xf32>) -> vector<2xf8E5M2>
  %0 = vector.extract %f8[0] : f8E5M2 from vector<2xf8E5M2>
  %1 = vector.extract %f8[1] : f8E5M2 from vector<2xf8E5M2>
  %2 = arith.extf %0 : f8E5M2 to f16
  %3 = arith.extf %1 : f8E5M2 to f32
  return %2, %3 : f16, f32
}

// -----

// CHECK-LABEL: func.func @truncate_pair(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK:         %[[PAIR:.*]] = llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"(%[[Y]], %[[X]]) : (f32, f32) -> i16
// CHECK:         %[[ONE:.*]] = arith.constant 1 : i16
// CHECK-NEXT:    arith.addi %[[PAIR]], %[[ONE]] : i16
// CHECK:         %[[UPPER_ONE:.*]] = arith.constant 256 : i16
// CHECK-NEXT:    arith.addi %{{.*}}, %[[UPPER_ONE]] : i16
// CHECK:         %[[BYTES:.*]] = llvm.bitcast %{{.*}} : vector<1xi16> to vector<2xi8>
// CHECK-NEXT:    %[[R:.*]] = builtin.unrealized_conversion_cast %[[BYTES]] : vector<2xi8> to vector<2xf8E4M3FN>
// CHECK-NEXT:    return %[[R]] : vector<2xf8E4M3FN>
func.func @truncate_pair(%x: f32, %y: f32) -> vector<2xf8E4M3FN> {
  %zero = arith.constant dense<0.0> : vector<2xf8E4M3FN>
  %0 = arith.truncf %x : f32 to f8E4M3FN
  %1 = vector.insert %0, %zero[0] : f8E4M3FN into vector<2xf8E4M3FN>
  %2 = arith.truncf %y : f32 to f8E4M3FN
  %3 = vector.insert %2, %1[1] : f8E4M3FN into vector<2xf8E4M3FN>
  return %3 : vector<2xf8E4M3FN>
}

// -----

// One by one: a float without a neighbour that is converted, one at an unknown place, and a vector not made of such floats.

// CHECK-LABEL: func.func @no_pairs(
// CHECK-NOT:     llvm.bitcast
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.e5m2x2.to.f16x2.rn"
// CHECK-COUNT-3: llvm.call_intrinsic "llvm.nvvm.ff.to.e5m2x2.rn"
// CHECK-NOT:     llvm.bitcast
// CHECK:         return
func.func @no_pairs(%v: vector<2xf8E5M2>, %x: f32, %i: index) -> (f16, f16, vector<2xf8E5M2>, vector<2xf8E5M2>) {
  %f8 = "test.op"(%v) : (vector<2xf8E5M2>) -> vector<2xf8E5M2>
  %0 = vector.extract %f8[0] : f8E5M2 from vector<2xf8E5M2>
  %1 = vector.extract %f8[%i] : f8E5M2 from vector<2xf8E5M2>
  %2 = arith.extf %0 : f8E5M2 to f16
  %3 = arith.extf %1 : f8E5M2 to f16
  %4 = arith.truncf %x : f32 to f8E5M2
  %5 = vector.insert %4, %f8[0] : f8E5M2 into vector<2xf8E5M2>
  %6 = vector.insert %1, %5[1] : f8E5M2 into vector<2xf8E5M2>
  %7 = arith.truncf %x : f32 to f8E5M2
  %8 = vector.insert %7, %f8[0] : f8E5M2 into vector<2xf8E5M2>
  %9 = arith.truncf %x : f32 to f8E5M2
  %10 = vector.insert %9, %8[1] : f8E5M2 into vector<2xf8E5M2>
  %11 = vector.insert %1, %10[%i] : f8E5M2 into vector<2xf8E5M2>
  return %2, %3, %6, %11 : f16, f16, vector<2xf8E5M2>, vector<2xf8E5M2>
}

// -----

// One float may be in a vector twice, and be used elsewhere.

// CHECK-LABEL: func.func @truncate_pair_of_used_floats(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: f32)
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"(%[[X]], %[[X]]) : (f32, f32) -> i16
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"(%[[X]], %[[Y]]) : (f32, f32) -> i16
func.func @truncate_pair_of_used_floats(%x: f32, %y: f32) -> (vector<2xf8E4M3FN>, vector<2xf8E4M3FN>, f8E4M3FN) {
  %zero = arith.constant dense<0.0> : vector<2xf8E4M3FN>
  %0 = arith.truncf %x : f32 to f8E4M3FN
  %1 = vector.insert %0, %zero[0] : f8E4M3FN into vector<2xf8E4M3FN>
  %2 = vector.insert %0, %1[1] : f8E4M3FN into vector<2xf8E4M3FN>
  %3 = arith.truncf %y : f32 to f8E4M3FN
  %4 = arith.truncf %x : f32 to f8E4M3FN
  %5 = vector.insert %3, %zero[0] : f8E4M3FN into vector<2xf8E4M3FN>
  %6 = vector.insert %4, %5[1] : f8E4M3FN into vector<2xf8E4M3FN>
  return %2, %6, %3 : vector<2xf8E4M3FN>, vector<2xf8E4M3FN>, f8E4M3FN
}

// -----

// Between small floats there is no instruction.
// CHECK-LABEL: func.func @between_small_floats(
// CHECK-NEXT:    arith.extf %{{.*}} : f4E2M1FN to f8E5M2
// CHECK-NEXT:    arith.extf %{{.*}} : f8E5M2 to f8E3M4
// CHECK-NEXT:    arith.truncf %{{.*}} : f8E3M4 to f8E5M2
// CHECK-NEXT:    arith.truncf %{{.*}} : f8E3M4 to f8E5M2
// CHECK-NOT:     llvm.call_intrinsic
// CHECK:         return
func.func @between_small_floats(%x: f4E2M1FN, %y: f8E5M2, %z: f8E3M4, %v: vector<2xf8E5M2>)
    -> (f8E5M2, f8E3M4, vector<2xf8E5M2>) {
  %0 = arith.extf %x : f4E2M1FN to f8E5M2
  %1 = arith.extf %y : f8E5M2 to f8E3M4
  %2 = arith.truncf %z : f8E3M4 to f8E5M2
  %3 = arith.truncf %z : f8E3M4 to f8E5M2
  %4 = vector.insert %2, %v[0] : f8E5M2 into vector<2xf8E5M2>
  %5 = vector.insert %3, %4[1] : f8E5M2 into vector<2xf8E5M2>
  return %0, %1, %5 : f8E5M2, f8E3M4, vector<2xf8E5M2>
}
