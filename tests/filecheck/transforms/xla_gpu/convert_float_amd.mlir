// RUN: xshardy-opt %s -p 'xla-gpu-convert-float-amd{gpu_device_info="rocm_compute_capability {gcn_arch_name: \"gfx942:sramecc+\"}"}' | filecheck %s
// RUN: xshardy-opt %s -p 'xla-gpu-convert-float-amd{gpu_device_info="rocm_compute_capability {gcn_arch_name: \"gfx1201\"}"}' | filecheck %s --check-prefix=OCP
// RUN: xshardy-opt %s -p 'xla-gpu-convert-float-amd{gpu_device_info="rocm_compute_capability {gcn_arch_name: \"gfx1100\"}"}' | filecheck %s --check-prefix=NONE
// RUN: xshardy-opt %s -p xla-gpu-convert-float-amd | filecheck %s --check-prefix=NONE

// What is too large becomes NaN by itself; other floats become f32 first.

// CHECK-LABEL: func.func @truncate(
// CHECK-NEXT:    %[[X:.*]] = arith.extf %arg0 : f16 to f32
// CHECK:         %[[WORD:.*]] = llvm.call_intrinsic "llvm.amdgcn.cvt.pk.fp8.f32"(%[[X]], %{{.*}}, %{{.*}}, %{{.*}}) : (f32, f32, i32, i1) -> i32
// CHECK-NEXT:    %[[PAIR:.*]] = llvm.trunc %[[WORD]] : i32 to i16
// CHECK-NEXT:    %[[BITS:.*]] = llvm.trunc %[[PAIR]] : i16 to i8
// CHECK-NEXT:    %[[R:.*]] = arith.bitcast %[[BITS]] : i8 to f8E4M3FNUZ
// CHECK-NEXT:    return %[[R]] : f8E4M3FNUZ
// OCP-LABEL: func.func @truncate(
// OCP-NEXT:    arith.truncf %arg0 : f16 to f8E4M3FNUZ
// NONE-NOT:  llvm.call_intrinsic
func.func @truncate(%x: f16) -> f8E4M3FNUZ {
  %0 = arith.truncf %x : f16 to f8E4M3FNUZ
  return %0 : f8E4M3FNUZ
}

// CHECK-LABEL: func.func @truncate_ocp(
// CHECK-NEXT:    arith.truncf %arg0 : f32 to f8E5M2
// OCP-LABEL: func.func @truncate_ocp(
// OCP:         llvm.call_intrinsic "llvm.amdgcn.cvt.pk.bf8.f32"(%arg0,
func.func @truncate_ocp(%x: f32) -> f8E5M2 {
  %0 = arith.truncf %x : f32 to f8E5M2
  return %0 : f8E5M2
}

// A bf16 is the upper half of the f32.

// CHECK-LABEL: func.func @extend(
// CHECK:         %[[WIDE:.*]] = llvm.call_intrinsic "llvm.amdgcn.cvt.f32.bf8"(%{{.*}}, %{{.*}}) : (i32, i32) -> f32
// CHECK-NEXT:    %[[BITS:.*]] = llvm.bitcast %[[WIDE]] : f32 to i32
// CHECK:         %[[UPPER:.*]] = arith.shrui %[[BITS]], %{{.*}} : i32
// CHECK-NEXT:    %[[HALF:.*]] = arith.trunci %[[UPPER]] : i32 to i16
// CHECK-NEXT:    %[[R:.*]] = llvm.bitcast %[[HALF]] : i16 to bf16
// CHECK-NEXT:    return %[[R]] : bf16
func.func @extend(%x: f8E5M2FNUZ) -> bf16 {
  %0 = arith.extf %x : f8E5M2FNUZ to bf16
  return %0 : bf16
}

// Two pairs of an argument, by constant positions of both forms.

// CHECK-LABEL:   func.func @pairs(
// CHECK-COUNT-2:   llvm.call_intrinsic "llvm.amdgcn.cvt.pk.f32.fp8"
// CHECK-NOT:       llvm.amdgcn.cvt.f32.fp8
// CHECK:           return
func.func @pairs(%v: vector<4xf8E4M3FNUZ>) -> (f32, f32, f16, f64) {
  %c2 = arith.constant 2 : index
  %0 = vector.extract %v[0] : f8E4M3FNUZ from vector<4xf8E4M3FNUZ>
  %1 = vector.extract %v[1] : f8E4M3FNUZ from vector<4xf8E4M3FNUZ>
  %2 = vector.extract %v[%c2] : f8E4M3FNUZ from vector<4xf8E4M3FNUZ>
  %3 = vector.extract %v[3] : f8E4M3FNUZ from vector<4xf8E4M3FNUZ>
  %4 = arith.extf %0 : f8E4M3FNUZ to f32
  %5 = arith.extf %1 : f8E4M3FNUZ to f32
  %6 = arith.extf %2 : f8E4M3FNUZ to f16
  %7 = arith.extf %3 : f8E4M3FNUZ to f64
  return %4, %5, %6, %7 : f32, f32, f16, f64
}
