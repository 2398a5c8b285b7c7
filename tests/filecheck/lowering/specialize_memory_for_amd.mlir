// RUN: xshardy-opt %s -p xla-gpu-specialize-memory-for-amd | filecheck %s
// RUN: xshardy-opt %s -p xla-gpu-specialize-memory-for-amd,xla-gpu-specialize-memory-for-amd | filecheck %s
// RUN: xshardy-opt %s -p xla-gpu-specialize-memory-for-amd -t llvm-ir | filecheck %s --check-prefix=IR

// IR: @table = private addrspace(1) constant [2 x float]
// CHECK: llvm.mlir.global private constant @table({{.*}}) {addr_space = 1 : i32}
llvm.mlir.global private constant @table(dense<[1.0, 2.0]> : tensor<2xf32>) : !llvm.array<2 x f32>
// Shared memory stays where it is.
// CHECK: llvm.mlir.global private @shared() {addr_space = 3 : i32{{.*}}}
llvm.mlir.global private @shared() {addr_space = 3 : i32} : !llvm.array<2 x f32>

// CHECK-LABEL: llvm.func @places
// CHECK:         %[[SLOT:.*]] = llvm.alloca {{.*}} : (i32) -> !llvm.ptr<5>
// CHECK-NEXT:    llvm.addrspacecast %[[SLOT]] : !llvm.ptr<5> to !llvm.ptr
// CHECK-NEXT:    %[[TABLE:.*]] = llvm.mlir.addressof @table : !llvm.ptr<1>
// CHECK-NEXT:    llvm.addrspacecast %[[TABLE]] : !llvm.ptr<1> to !llvm.ptr
// CHECK-NEXT:    llvm.mlir.addressof @shared : !llvm.ptr<3>
llvm.func @places() -> !llvm.struct<(ptr, ptr, ptr<3>)> {
  %one = llvm.mlir.constant(1 : i32) : i32
  %slot = llvm.alloca %one x i64 : (i32) -> !llvm.ptr
  %table = llvm.mlir.addressof @table : !llvm.ptr
  %shared = llvm.mlir.addressof @shared : !llvm.ptr<3>
  %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, ptr<3>)>
  %1 = llvm.insertvalue %slot, %0[0] : !llvm.struct<(ptr, ptr, ptr<3>)>
  %2 = llvm.insertvalue %table, %1[1] : !llvm.struct<(ptr, ptr, ptr<3>)>
  %3 = llvm.insertvalue %shared, %2[2] : !llvm.struct<(ptr, ptr, ptr<3>)>
  llvm.return %3 : !llvm.struct<(ptr, ptr, ptr<3>)>
}

// Only atomic accesses have a scope, and only additions of floats need to know about memory of the host.
// CHECK-LABEL: llvm.func @accesses
// CHECK-NEXT:    llvm.atomicrmw fadd %arg0, %arg1 syncscope("agent-one-as") monotonic {rocdl.ignore_denormal_mode, rocdl.no_fine_grained_memory, rocdl.no_remote_memory} : !llvm.ptr, f32
// CHECK-NEXT:    llvm.atomicrmw add %arg0, %arg2 syncscope("agent-one-as") monotonic : !llvm.ptr, i32
// CHECK-NEXT:    llvm.atomicrmw add %arg0, %arg2 syncscope("workgroup") monotonic : !llvm.ptr, i32
// CHECK-NEXT:    llvm.store %arg2, %arg0 atomic syncscope("agent-one-as") monotonic
// CHECK-NEXT:    llvm.store %arg2, %arg0 : i32, !llvm.ptr
// IR:      atomicrmw fadd ptr %arg0, float %arg1 syncscope("agent-one-as") monotonic, !amdgpu.no.fine.grained.memory !0, !amdgpu.no.remote.memory !0, !amdgpu.ignore.denormal.mode !0
// IR-NEXT: atomicrmw add ptr %arg0, i32 %arg2 syncscope("agent-one-as") monotonic
llvm.func @accesses(%p: !llvm.ptr, %x: f32, %i: i32) {
  %0 = llvm.atomicrmw fadd %p, %x monotonic : !llvm.ptr, f32
  %1 = llvm.atomicrmw add %p, %i monotonic : !llvm.ptr, i32
  %2 = llvm.atomicrmw add %p, %i syncscope("workgroup") monotonic : !llvm.ptr, i32
  llvm.store %i, %p atomic monotonic {alignment = 4 : i64} : i32, !llvm.ptr
  llvm.store %i, %p : i32, !llvm.ptr
  llvm.return
}
