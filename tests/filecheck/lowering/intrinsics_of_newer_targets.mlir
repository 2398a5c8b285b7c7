// RUN: xshardy-opt %s --split-input-file -t 'ptx{target=sm_90}' | filecheck %s --check-prefix=PTX
// RUN: not xshardy-opt %s --split-input-file -t 'ptx{target=sm_75}' 2>&1 | filecheck %s

// LLVM would end the process.
// PTX: redux.sync.max.u32
// CHECK: error: sm_75 has no instruction `redux.sync.umax`: compile for sm_80 or newer
llvm.func @main(%p: !llvm.ptr, %i: i32) attributes {nvvm.kernel} {
  %m = llvm.mlir.constant(-1 : i32) : i32
  %r = nvvm.redux.sync umax %i, %m : i32 -> i32
  llvm.store %r, %p : i32, !llvm.ptr
  llvm.return
}

// -----

// PTX: griddepcontrol.launch_dependents
// CHECK: error: sm_75 has no instruction `griddepcontrol.launch.dependents`: compile for sm_90 or newer
llvm.func @main() attributes {nvvm.kernel} {
  nvvm.griddepcontrol launch_dependents
  llvm.return
}
