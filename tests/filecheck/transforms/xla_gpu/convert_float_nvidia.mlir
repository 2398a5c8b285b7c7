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
