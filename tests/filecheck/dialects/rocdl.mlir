// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s -t llvm-ir | filecheck %s --check-prefix=IR

// CHECK: module attributes {rocdl.target = #rocdl.target<chip = "gfx942">}
module attributes {rocdl.target = #rocdl.target<chip = "gfx942">} {
  // CHECK-LABEL: llvm.func @ops
  // CHECK-NEXT:    %0 = rocdl.workitem.id.x : i32
  // CHECK-NEXT:    %1 = rocdl.workgroup.id.y range <i32, 0, 128> : i32
  // CHECK-NEXT:    %2 = rocdl.mbcnt.lo %arg0, %arg0 : (i32, i32) -> i32
  // CHECK-NEXT:    %3 = rocdl.mbcnt.hi %arg0, %2 : (i32, i32) -> i32
  // CHECK-NEXT:    %4 = rocdl.ds_bpermute %arg0, %arg0 : (i32, i32) -> i32
  // CHECK-NEXT:    %5 = rocdl.update.dpp %arg0, %arg0 with 177, 15, 15, true : i32
  // CHECK:         rocdl.ds_swizzle %arg0, %{{.*}} : (i32, i32) -> i32
  // CHECK-NEXT:    rocdl.s.barrier
  // IR:      define amdgpu_kernel void @ops(i32 %arg0) "amdgpu-flat-work-group-size"="96,96" "uniform-work-group-size"
  // IR:      call i32 @llvm.amdgcn.workitem.id.x()
  // IR-NEXT: call range(i32 0, 128) i32 @llvm.amdgcn.workgroup.id.y()
  // IR-NEXT: call i32 @llvm.amdgcn.mbcnt.lo(i32 %arg0, i32 %arg0)
  // IR-NEXT: call i32 @llvm.amdgcn.mbcnt.hi(i32 %arg0, i32 %v2)
  // IR-NEXT: call i32 @llvm.amdgcn.ds.bpermute(i32 %arg0, i32 %arg0)
  // IR-NEXT: call i32 @llvm.amdgcn.update.dpp.i32(i32 %arg0, i32 %arg0, i32 177, i32 15, i32 15, i1 true)
  // IR-NEXT: call i32 @llvm.amdgcn.ds.swizzle(i32 %arg0, i32 4127)
  // IR-NEXT: call void @llvm.amdgcn.s.barrier()
  llvm.func @ops(%i: i32) attributes {rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 32, 3, 1>} {
    %0 = rocdl.workitem.id.x : i32
    %1 = rocdl.workgroup.id.y range <i32, 0, 128> : i32
    %2 = rocdl.mbcnt.lo %i, %i : (i32, i32) -> i32
    %3 = rocdl.mbcnt.hi %i, %2 : (i32, i32) -> i32
    %4 = rocdl.ds_bpermute %i, %i : (i32, i32) -> i32
    %5 = rocdl.update.dpp %i, %i with 177, 15, 15, true : i32
    %mask = llvm.mlir.constant(4127 : i32) : i32
    %6 = rocdl.ds_swizzle %i, %mask : (i32, i32) -> i32
    rocdl.s.barrier
    llvm.return
  }
}
