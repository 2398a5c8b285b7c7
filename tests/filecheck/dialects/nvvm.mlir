// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: llvm.func @ops
// CHECK-NEXT:    %0 = nvvm.read.ptx.sreg.tid.x : i32
// CHECK-NEXT:    %1 = nvvm.read.ptx.sreg.ctaid.y range <i32, 0, 128> : i32
// CHECK-NEXT:    nvvm.barrier0
// CHECK-NEXT:    nvvm.bar.warp.sync %arg1 : i32
// CHECK-NEXT:    %2 = nvvm.shfl.sync bfly %arg1, %arg0, %arg1, %arg1 : f32 -> f32
// CHECK-NEXT:    %3 = nvvm.shfl.sync down %arg1, %arg1, %arg1, %arg1 {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
// CHECK-NEXT:    %4 = nvvm.redux.sync umax %arg1, %arg1 : i32 -> i32
// CHECK-NEXT:    nvvm.barrier
// CHECK-NEXT:    nvvm.griddepcontrol wait
// CHECK-NEXT:    nvvm.griddepcontrol launch_dependents
llvm.func @ops(%x: f32, %i: i32) {
  %0 = nvvm.read.ptx.sreg.tid.x : i32
  %1 = nvvm.read.ptx.sreg.ctaid.y range <i32, 0, 128> : i32
  nvvm.barrier0
  nvvm.bar.warp.sync %i : i32
  %2 = nvvm.shfl.sync bfly %i, %x, %i, %i : f32 -> f32
  %3 = nvvm.shfl.sync down %i, %i, %i, %i {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
  %4 = nvvm.redux.sync umax %i, %i : i32 -> i32
  nvvm.barrier
  nvvm.griddepcontrol wait
  nvvm.griddepcontrol launch_dependents
  llvm.return
}

// CHECK:      module attributes {nvvm.target = #nvvm.target<chip = "sm_90a">}
module attributes {nvvm.target = #nvvm.target<chip = "sm_90a">} {
}
