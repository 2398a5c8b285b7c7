// RUN: xshardy-opt %s --split-input-file -t llvm-ir | filecheck %s

// Constants are written where they are used, exact to the bit.
// CHECK-LABEL: define void @constants(ptr %arg0) {
// CHECK-NEXT:  bb0:
// CHECK-NEXT:    store float 0x3FB99999A0000000, ptr %arg0
// CHECK-NEXT:    store float 0x7FF8000000000000, ptr %arg0
// CHECK-NEXT:    store double 0x3FB999999999999A, ptr %arg0
// CHECK-NEXT:    store half 0xH2E66, ptr %arg0
// CHECK-NEXT:    store bfloat 0xR3DCD, ptr %arg0
// CHECK-NEXT:    store float 0x8000000000000000, ptr %arg0
// CHECK-NEXT:    store i1 true, ptr %arg0
// CHECK-NEXT:    store i8 -3, ptr %arg0
// CHECK-NEXT:    store <2 x i32> <i32 1, i32 2>, ptr %arg0
// CHECK-NEXT:    store <2 x float> zeroinitializer, ptr %arg0
// CHECK-NEXT:    store <2 x float> <float 0x8000000000000000, float 0x8000000000000000>, ptr %arg0
// CHECK-NEXT:    store i32 poison, ptr %arg0
// CHECK-NEXT:    store ptr null, ptr %arg0
// CHECK-NEXT:    ret void
// CHECK-NEXT:  }
llvm.func @constants(%p: !llvm.ptr) {
  %0 = llvm.mlir.constant(1.000000e-01 : f32) : f32
  llvm.store %0, %p : f32, !llvm.ptr
  %1 = llvm.mlir.constant(0x7FC00000 : f32) : f32
  llvm.store %1, %p : f32, !llvm.ptr
  %2 = llvm.mlir.constant(1.000000e-01 : f64) : f64
  llvm.store %2, %p : f64, !llvm.ptr
  %3 = llvm.mlir.constant(1.000000e-01 : f16) : f16
  llvm.store %3, %p : f16, !llvm.ptr
  %4 = llvm.mlir.constant(1.000000e-01 : bf16) : bf16
  llvm.store %4, %p : bf16, !llvm.ptr
  %5 = llvm.mlir.constant(-0.000000e+00 : f32) : f32
  llvm.store %5, %p : f32, !llvm.ptr
  %6 = llvm.mlir.constant(true) : i1
  llvm.store %6, %p : i1, !llvm.ptr
  %7 = llvm.mlir.constant(-3 : i8) : i8
  llvm.store %7, %p : i8, !llvm.ptr
  %8 = llvm.mlir.constant(dense<[1, 2]> : vector<2xi32>) : vector<2xi32>
  llvm.store %8, %p : vector<2xi32>, !llvm.ptr
  %9 = llvm.mlir.constant(dense<0.000000e+00> : vector<2xf32>) : vector<2xf32>
  llvm.store %9, %p : vector<2xf32>, !llvm.ptr
  %10 = llvm.mlir.constant(dense<-0.000000e+00> : vector<2xf32>) : vector<2xf32>
  llvm.store %10, %p : vector<2xf32>, !llvm.ptr
  %11 = llvm.mlir.poison : i32
  llvm.store %11, %p : i32, !llvm.ptr
  %12 = llvm.mlir.zero : !llvm.ptr
  llvm.store %12, %p : !llvm.ptr, !llvm.ptr
  llvm.return
}

// -----

// CHECK-LABEL: @"a b" = private constant [2 x [2 x float]] {{\[\[}}2 x float] [float 0x3FF0000000000000, float 0x4000000000000000], [2 x float] [float 0x4008000000000000, float 0x4010000000000000]], align 16
// CHECK:       @shared = private addrspace(3) global [5 x i8] undef
// CHECK-LABEL: define ptr @globals() {
// CHECK-NEXT:  bb0:
// CHECK-NEXT:    %v0 = addrspacecast ptr addrspace(3) @shared to ptr
// CHECK-NEXT:    %v1 = getelementptr inbounds [2 x [2 x float]], ptr @"a b", i32 0, i32 1
// CHECK-NEXT:    ret ptr %v1
llvm.mlir.global private constant @"a b"(dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>) {addr_space = 0 : i32, alignment = 16 : i64} : !llvm.array<2 x !llvm.array<2 x f32>>
llvm.mlir.global private @shared() {addr_space = 3 : i32} : !llvm.array<5 x i8>
llvm.func @globals() -> !llvm.ptr {
  %0 = llvm.mlir.addressof @shared : !llvm.ptr<3>
  %1 = llvm.addrspacecast %0 : !llvm.ptr<3> to !llvm.ptr
  %2 = llvm.mlir.addressof @"a b" : !llvm.ptr
  %3 = llvm.getelementptr inbounds %2[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<2 x !llvm.array<2 x f32>>
  llvm.return %3 : !llvm.ptr
}

// -----

// What is known of a kernel is said to LLVM.
// CHECK-LABEL: declare float @__nv_tanhf(float)
// CHECK-LABEL: define ptx_kernel void @kernel(ptr noalias readonly align 16 dereferenceable(64) %arg0, ptr %arg1) "nvvm.reqntid"="128,1,1" {
// CHECK-LABEL: define internal i32 @helper(i32 %arg0) nounwind {
llvm.func @__nv_tanhf(f32) -> f32
llvm.func @kernel(%in: !llvm.ptr {llvm.align = 16, llvm.dereferenceable = 64, llvm.noalias, llvm.readonly, xla.invariant}, %out: !llvm.ptr) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
  llvm.return
}
llvm.func internal @helper(%i: i32) -> i32 attributes {passthrough = ["nounwind"]} {
  llvm.return %i : i32
}

// -----

// LLVM loads an aligned word as a whole if it needs a part of it: no such word may reach behind a buffer.
// CHECK-LABEL: define void @small_buffers(ptr align 1 dereferenceable(3) %arg0, ptr align 4 dereferenceable(12) %arg1, ptr align 16 %arg2) {
llvm.func @small_buffers(%a: !llvm.ptr {llvm.align = 16, llvm.dereferenceable = 3}, %b: !llvm.ptr {llvm.align = 256, llvm.dereferenceable = 12}, %c: !llvm.ptr {llvm.align = 16}) {
  llvm.return
}

// -----

// CHECK-LABEL: define void @memory(ptr %arg0, i32 %arg1, float %arg2) {
// CHECK-NEXT:  bb0:
// CHECK-NEXT:    %[[A:.*]] = load <4 x bfloat>, ptr %arg0, align 8, !invariant.load !0
// CHECK-NEXT:    %[[B:.*]] = load atomic volatile i32, ptr %arg0 syncscope("agent") monotonic, align 4
// CHECK-NEXT:    store volatile i32 %arg1, ptr %arg0, align 2
// CHECK-NEXT:    store atomic i32 %arg1, ptr %arg0 unordered, align 4
// CHECK-NEXT:    %[[C:.*]] = atomicrmw fadd ptr %arg0, float %arg2 syncscope("agent") monotonic
// CHECK-NEXT:    %[[D:.*]] = atomicrmw and ptr %arg0, i32 %arg1 monotonic
// CHECK-NEXT:    %[[E:.*]] = cmpxchg ptr %arg0, i32 %arg1, i32 %arg1 seq_cst acquire
// CHECK-NEXT:    fence syncscope("agent") acq_rel
// CHECK-NEXT:    ret void
// CHECK:       !0 = !{}
llvm.func @memory(%p: !llvm.ptr, %i: i32, %x: f32) {
  %0 = llvm.load %p invariant {alignment = 8 : i64} : !llvm.ptr -> vector<4xbf16>
  %1 = llvm.load volatile %p atomic syncscope("agent") monotonic : !llvm.ptr -> i32
  llvm.store volatile %i, %p {alignment = 2 : i64} : i32, !llvm.ptr
  llvm.store %i, %p atomic unordered {alignment = 4 : i64} : i32, !llvm.ptr
  %2 = llvm.atomicrmw fadd %p, %x syncscope("agent") monotonic : !llvm.ptr, f32
  %3 = llvm.atomicrmw _and %p, %i monotonic : !llvm.ptr, i32
  %4 = llvm.cmpxchg %p, %i, %i seq_cst acquire : !llvm.ptr, i32
  llvm.fence syncscope("agent") acq_rel
  llvm.return
}

// -----

// CHECK-LABEL: define float @flags(float %arg0, i32 %arg1) {
// CHECK-NEXT:  bb0:
// CHECK-NEXT:    %[[A:.*]] = fadd nnan nsz float %arg0, %arg0
// CHECK-NEXT:    %[[B:.*]] = fmul fast float %[[A]], %[[A]]
// CHECK-NEXT:    %[[C:.*]] = add nuw nsw i32 %arg1, %arg1
// CHECK-NEXT:    %[[D:.*]] = sdiv exact i32 %[[C]], %arg1
// CHECK-NEXT:    %[[E:.*]] = zext nneg i32 %[[D]] to i64
// CHECK-NEXT:    %[[F:.*]] = fcmp ninf uno float %[[B]], %arg0
// CHECK-NEXT:    %[[G:.*]] = select i1 %[[F]], float %arg0, float %[[B]]
// CHECK-NEXT:    %[[H:.*]] = call contract float @llvm.fma.f32(float %[[G]], float %[[G]], float %arg0)
// CHECK-NEXT:    ret float %[[H]]
// CHECK-NEXT:  }
// CHECK:       declare float @llvm.fma.f32(float, float, float)
llvm.func @flags(%x: f32, %i: i32) -> f32 {
  %0 = llvm.fadd %x, %x {fastmathFlags = #llvm.fastmath<nsz, nnan>} : f32
  %1 = llvm.fmul %0, %0 {fastmathFlags = #llvm.fastmath<fast>} : f32
  %2 = llvm.add %i, %i overflow<nsw, nuw> : i32
  %3 = llvm.sdiv exact %2, %i : i32
  %4 = llvm.zext nneg %3 : i32 to i64
  %5 = llvm.fcmp "uno" %1, %x {fastmathFlags = #llvm.fastmath<ninf>} : f32
  %6 = llvm.select %5, %x, %1 : i1, f32
  %7 = llvm.intr.fma(%6, %6, %x) {fastmathFlags = #llvm.fastmath<contract>} : (f32, f32, f32) -> f32
  llvm.return %7 : f32
}

// -----

// Block arguments are phis. Two edges of one branch to one block are told apart by a block in between.
// CHECK-LABEL: define i32 @phis(i1 %arg0, i32 %arg1) {
// CHECK-NEXT:  bb0:
// CHECK-NEXT:    br i1 %arg0, label %bb1, label %bb0.else
// CHECK-NEXT:  bb0.else:
// CHECK-NEXT:    br label %bb1
// CHECK-NEXT:  bb1:
// CHECK-NEXT:    %v0 = phi i32 [ %arg1, %bb0 ], [ 7, %bb0.else ], [ %v0, %bb1 ]
// CHECK-NEXT:    br i1 %arg0, label %bb1, label %bb2
// CHECK-NEXT:  bb2:
// CHECK-NEXT:    ret i32 %v0
llvm.func @phis(%c: i1, %i: i32) -> i32 {
  %0 = llvm.mlir.constant(7 : i32) : i32
  llvm.cond_br %c, ^bb1(%i : i32), ^bb1(%0 : i32)
^bb1(%j: i32):
  llvm.cond_br %c, ^bb1(%j : i32), ^bb2
^bb2:
  llvm.return %j : i32
}

// -----

// What cannot be reached is left out: a phi has an entry for every block before it.
// CHECK-LABEL: define i32 @unreachable_blocks(i32 %arg0) {
// CHECK-NEXT:  bb0:
// CHECK-NEXT:    br label %bb1
// CHECK-NEXT:  bb1:
// CHECK-NEXT:    %v0 = phi i32 [ %arg0, %bb0 ]
// CHECK-NEXT:    ret i32 %v0
// CHECK-NEXT:  }
llvm.func @unreachable_blocks(%i: i32) -> i32 {
  llvm.br ^bb2(%i : i32)
^bb1(%j: i32):
  llvm.br ^bb2(%j : i32)
^bb2(%k: i32):
  llvm.return %k : i32
}

// -----

// CHECK-LABEL: define { float, i32 } @values(<4 x float> %arg0, { float, i32 } %arg1, i32 %arg2) {
// CHECK-NEXT:  bb0:
// CHECK-NEXT:    %[[A:.*]] = extractelement <4 x float> %arg0, i32 %arg2
// CHECK-NEXT:    %[[B:.*]] = insertelement <4 x float> %arg0, float %[[A]], i32 1
// CHECK-NEXT:    %[[C:.*]] = shufflevector <4 x float> %[[B]], <4 x float> poison, <2 x i32> <i32 0, i32 poison>
// CHECK-NEXT:    %[[D:.*]] = extractvalue { float, i32 } %arg1, 0
// CHECK-NEXT:    %[[E:.*]] = insertvalue { float, i32 } %arg1, float %[[D]], 0
// CHECK-NEXT:    ret { float, i32 } %[[E]]
llvm.func @values(%v: vector<4xf32>, %s: !llvm.struct<(f32, i32)>, %i: i32) -> !llvm.struct<(f32, i32)> {
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %0 = llvm.extractelement %v[%i : i32] : vector<4xf32>
  %1 = llvm.insertelement %0, %v[%c1 : i32] : vector<4xf32>
  %2 = llvm.mlir.poison : vector<4xf32>
  %3 = llvm.shufflevector %1, %2 [0, -1] : vector<4xf32>
  %4 = llvm.extractvalue %s[0] : !llvm.struct<(f32, i32)>
  %5 = llvm.insertvalue %4, %s[0] : !llvm.struct<(f32, i32)>
  llvm.return %5 : !llvm.struct<(f32, i32)>
}

// -----

// CHECK-LABEL: define void @intrinsics(float %arg0, i32 %arg1, <4 x i32> %arg2) {
// CHECK-NEXT:  bb0:
// CHECK-NEXT:    %[[A:.*]] = call range(i32 0, 128) i32 @llvm.nvvm.read.ptx.sreg.tid.x()
// CHECK-NEXT:    call void @llvm.nvvm.barrier0()
// CHECK-NEXT:    %[[B:.*]] = call { float, i1 } @llvm.nvvm.shfl.sync.bfly.f32p(i32 %arg1, float %arg0, i32 %arg1, i32 31)
// CHECK-NEXT:    %[[C:.*]] = call i32 @llvm.ctlz.i32(i32 %arg1, i1 false)
// CHECK-NEXT:    %[[D:.*]] = call i1 @llvm.is.fpclass.f32(float %arg0, i32 3)
// CHECK-NEXT:    %[[E:.*]] = call i32 @llvm.fptosi.sat.i32.f32(float %arg0)
// CHECK-NEXT:    %[[F:.*]] = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %arg2)
// CHECK-NEXT:    %[[G:.*]] = call i16 @llvm.nvvm.ff.to.e4m3x2.rn(float %arg0, float %arg0)
// CHECK-NEXT:    %[[H:.*]] = call i32 asm sideeffect "mov.u32 $0, $1;", "=r,r"(i32 %arg1)
// CHECK-NEXT:    ret void
llvm.func @intrinsics(%x: f32, %i: i32, %v: vector<4xi32>) {
  %0 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
  nvvm.barrier0
  %c31 = llvm.mlir.constant(31 : i32) : i32
  %1 = nvvm.shfl.sync bfly %i, %x, %i, %c31 {return_value_and_is_valid} : f32 -> !llvm.struct<(f32, i1)>
  %2 = "llvm.intr.ctlz"(%i) <{is_zero_poison = false}> : (i32) -> i32
  %3 = "llvm.intr.is.fpclass"(%x) <{bit = 3 : i32}> : (f32) -> i1
  %4 = llvm.intr.fptosi.sat(%x) : (f32) -> i32
  %5 = llvm.intr.vector.reduce.add(%v) : (vector<4xi32>) -> i32
  %6 = llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"(%x, %x) : (f32, f32) -> i16
  %7 = llvm.inline_asm has_side_effects "mov.u32 $0, $1;", "=r,r" %i : (i32) -> i32
  llvm.return
}
