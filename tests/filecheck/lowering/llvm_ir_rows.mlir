// RUN: xshardy-opt %s -t llvm-ir | filecheck %s

// External globals have no value, or else no linkage. Equal elements are written once for each place; zeros, also of
// complex numbers, at once.
// CHECK:       @outside = external addrspace(3) global [0 x i8]
// CHECK:       @inside = global i32 1
// CHECK:       @same = private constant [2 x float] [float 0x4000000000000000, float 0x4000000000000000]
// CHECK:       @several = private constant [2 x float] [float 0x4000000000000000, float 0x4008000000000000]
// CHECK:       @zeros = private constant [2 x float] zeroinitializer
llvm.mlir.global external @outside() {addr_space = 3 : i32} : !llvm.array<0 x i8>
llvm.mlir.global external @inside(1 : i32) {addr_space = 0 : i32} : i32
llvm.mlir.global private constant @same(dense<2.0> : tensor<2xf32>) {addr_space = 0 : i32} : !llvm.array<2 x f32>
llvm.mlir.global private constant @several(dense<[2.0, 3.0]> : tensor<2xf32>) {addr_space = 0 : i32} : !llvm.array<2 x f32>
llvm.mlir.global private constant @zeros(dense<0.0> : tensor<2xf32>) {addr_space = 0 : i32} : !llvm.array<2 x f32>

// What is stated of arguments and functions: `"llvm.writeonly": "writeonly"`, `"no_inline": "noinline"`, names and pairs.
// CHECK:       define void @words(ptr writeonly %arg0) noinline nofree "key"="value" {
llvm.func @words(%p: !llvm.ptr {llvm.writeonly}) attributes {no_inline, passthrough = ["nofree", ["key", "value"]]} {
  llvm.return
}

// `inbounds` is flag 1, and implies `nusw`, flag 2; `nuw` is flag 4.
// CHECK-LABEL: define void @places
// CHECK-NEXT:  bb0:
// CHECK-NEXT:    %v0 = getelementptr inbounds float, ptr %arg0, i64 %arg1
// CHECK-NEXT:    %v1 = getelementptr float, ptr %arg0, i64 %arg1
// CHECK-NEXT:    %v2 = getelementptr inbounds float, ptr %arg0, i64 %arg1
// CHECK-NEXT:    %v3 = getelementptr nusw float, ptr %arg0, i64 %arg1
// CHECK-NEXT:    %v4 = getelementptr inbounds float, ptr %arg0, i64 %arg1
// CHECK-NEXT:    %v5 = getelementptr nuw float, ptr %arg0, i64 %arg1
// CHECK-NEXT:    %v6 = getelementptr nusw nuw float, ptr %arg0, i64 %arg1
llvm.func @places(%p: !llvm.ptr, %i: i64) {
  %0 = llvm.getelementptr inbounds %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %1 = "llvm.getelementptr"(%p, %i) <{elem_type = f32, rawConstantIndices = array<i32: -2147483648>, noWrapFlags = 0 : i32}> : (!llvm.ptr, i64) -> !llvm.ptr
  %2 = "llvm.getelementptr"(%p, %i) <{elem_type = f32, rawConstantIndices = array<i32: -2147483648>, noWrapFlags = 1 : i32}> : (!llvm.ptr, i64) -> !llvm.ptr
  %3 = "llvm.getelementptr"(%p, %i) <{elem_type = f32, rawConstantIndices = array<i32: -2147483648>, noWrapFlags = 2 : i32}> : (!llvm.ptr, i64) -> !llvm.ptr
  %4 = "llvm.getelementptr"(%p, %i) <{elem_type = f32, rawConstantIndices = array<i32: -2147483648>, noWrapFlags = 3 : i32}> : (!llvm.ptr, i64) -> !llvm.ptr
  %5 = "llvm.getelementptr"(%p, %i) <{elem_type = f32, rawConstantIndices = array<i32: -2147483648>, noWrapFlags = 4 : i32}> : (!llvm.ptr, i64) -> !llvm.ptr
  %6 = "llvm.getelementptr"(%p, %i) <{elem_type = f32, rawConstantIndices = array<i32: -2147483648>, noWrapFlags = 6 : i32}> : (!llvm.ptr, i64) -> !llvm.ptr
  llvm.return
}

// Rows `llvm.FRemOp: "frem"`, `extension.FPToSIOp: "fptosi"`, `llvm.IntToPtrOp: "inttoptr"`, `llvm.UndefOp: _undefined`;
// intrinsics `intrinsics.RoundOp`, `llvm.FLog2Op`, `llvm.FPowOp`, `llvm.FSinOp`.
// CHECK-LABEL: define void @rows
// CHECK:         %v0 = frem float %arg0, %arg1
// CHECK-NEXT:    %v1 = inttoptr i64 %arg2 to ptr
// CHECK-NEXT:    %v2 = call float @llvm.round.f32(float %arg0)
// CHECK-NEXT:    %v3 = call float @llvm.log2.f32(float %arg0)
// CHECK-NEXT:    %v4 = call float @llvm.pow.f32(float %arg0, float %arg1)
// CHECK-NEXT:    %v5 = call float @llvm.sin.f32(float %arg0)
// CHECK-NEXT:    %v6 = fptosi float %arg0 to i32
// CHECK-NEXT:    %v7 = fadd float undef, %arg0
llvm.func @rows(%x: f32, %y: f32, %i: i64) {
  %0 = llvm.frem %x, %y : f32
  %1 = llvm.inttoptr %i : i64 to !llvm.ptr
  %2 = "llvm.intr.round"(%x) : (f32) -> f32
  %3 = "llvm.intr.log2"(%x) : (f32) -> f32
  %4 = "llvm.intr.pow"(%x, %y) : (f32, f32) -> f32
  %5 = "llvm.intr.sin"(%x) : (f32) -> f32
  %6 = llvm.fptosi %x : f32 to i32
  %7 = llvm.mlir.undef : f32
  %8 = llvm.fadd %7, %x : f32
  llvm.return
}

// Functions of any number of arguments, text, calls by pointers, and what has no other row.
// CHECK:       declare i32 @printf(ptr, ...)
// CHECK:       @text = internal constant [4 x i8] c"hi\0A\00"
// CHECK-LABEL: define void @rare
// CHECK-NEXT:  bb0:
// CHECK-NEXT:    %v0 = freeze i32 %arg0
// CHECK-NEXT:    call void @llvm.nvvm.bar.warp.sync(i32 -1)
// CHECK-NEXT:    %v1 = call i32 %arg1(i32 %v0)
// CHECK-NEXT:    %v2 = call i32 (ptr, ...) @printf(ptr %arg1, i32 %v1)
// CHECK-NEXT:    unreachable
llvm.func @printf(!llvm.ptr, ...) -> i32
llvm.mlir.global internal constant @text("hi\0A\00") : !llvm.array<4 x i8>
llvm.func @rare(%x: i32, %f: !llvm.ptr) {
  %0 = llvm.freeze %x : i32
  %1 = llvm.mlir.constant(-1 : i32) : i32
  nvvm.bar.warp.sync %1 : i32
  %2 = llvm.call %f(%0) : !llvm.ptr, (i32) -> i32
  %3 = llvm.call @printf(%f, %2) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i32) -> i32
  llvm.unreachable
}
