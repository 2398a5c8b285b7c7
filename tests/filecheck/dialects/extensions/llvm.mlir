// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: llvm.func @memory
// CHECK-NEXT:    %0 = llvm.load %arg0 invariant : !llvm.ptr -> vector<4xbf16>
// CHECK-NEXT:    %1 = llvm.load volatile %arg0 {alignment = 8 : i64} : !llvm.ptr -> vector<4xbf16>
// CHECK-NEXT:    %2 = llvm.load %arg0 atomic syncscope("agent") monotonic invariant {alignment = 4 : i64, nontemporal} : !llvm.ptr -> i32
// CHECK-NEXT:    llvm.store %arg1, %arg0 atomic unordered {alignment = 4 : i64} : i32, !llvm.ptr
// CHECK-NEXT:    llvm.store volatile %arg1, %arg0 {test.note} : i32, !llvm.ptr
// CHECK-NEXT:    %3 = llvm.atomicrmw _and %arg0, %arg1 syncscope("agent") monotonic : !llvm.ptr, i32
// CHECK-NEXT:    %4 = llvm.cmpxchg weak %arg0, %arg1, %arg1 acq_rel monotonic {alignment = 4 : i64} : !llvm.ptr, i32
// CHECK-NEXT:    llvm.fence syncscope("agent") seq_cst
// CHECK-NEXT:    %5 = llvm.addrspacecast %arg0 : !llvm.ptr to !llvm.ptr<3>
llvm.func @memory(%p: !llvm.ptr, %i: i32) {
  %0 = llvm.load %p invariant : !llvm.ptr -> vector<4xbf16>
  %1 = llvm.load volatile %p {alignment = 8 : i64} : !llvm.ptr -> vector<4xbf16>
  %2 = llvm.load %p atomic syncscope("agent") monotonic invariant {alignment = 4 : i64, nontemporal} : !llvm.ptr -> i32
  llvm.store %i, %p atomic unordered {alignment = 4 : i64} : i32, !llvm.ptr
  llvm.store volatile %i, %p {test.note} : i32, !llvm.ptr
  %3 = llvm.atomicrmw _and %p, %i syncscope("agent") monotonic : !llvm.ptr, i32
  %4 = llvm.cmpxchg weak %p, %i, %i acq_rel monotonic {alignment = 4 : i64} : !llvm.ptr, i32
  llvm.fence syncscope("agent") seq_cst
  %5 = llvm.addrspacecast %p : !llvm.ptr to !llvm.ptr<3>
  llvm.return
}

// CHECK-LABEL: llvm.func @values
// CHECK-NEXT:    %0 = llvm.extractelement %arg1[%arg2 : i32] : vector<4xf32>
// CHECK-NEXT:    %1 = llvm.fcmp "oeq" %arg0, %0 : f32
// CHECK-NEXT:    %2 = llvm.fcmp "ult" %arg1, %arg1 {fastmathFlags = #llvm.fastmath<nnan>} : vector<4xf32>
// CHECK-NEXT:    %3 = llvm.select %1, %arg0, %0 : i1, f32
// CHECK-NEXT:    %4 = llvm.select %2, %arg1, %arg1 : vector<4xi1>, vector<4xf32>
// CHECK-NEXT:    %5 = llvm.uitofp nneg %arg2 : i32 to f32
// CHECK-NEXT:    %6 = llvm.fptosi %5 : f32 to i32
// CHECK-NEXT:    %7 = llvm.mlir.poison : vector<4xf32>
// CHECK-NEXT:    %8 = llvm.freeze %arg0 : f32
llvm.func @values(%x: f32, %v: vector<4xf32>, %i: i32) {
  %0 = llvm.extractelement %v[%i : i32] : vector<4xf32>
  %1 = llvm.fcmp "oeq" %x, %0 : f32
  %2 = llvm.fcmp "ult" %v, %v {fastmathFlags = #llvm.fastmath<nnan>} : vector<4xf32>
  %3 = llvm.select %1, %x, %0 : i1, f32
  %4 = llvm.select %2, %v, %v : vector<4xi1>, vector<4xf32>
  %5 = llvm.uitofp nneg %i : i32 to f32
  %6 = llvm.fptosi %5 : f32 to i32
  %7 = llvm.mlir.poison : vector<4xf32>
  %8 = llvm.freeze %x : f32
  llvm.return
}

// CHECK-LABEL: llvm.func @intrinsics
// CHECK-NEXT:    %0 = llvm.intr.maximum(%arg0, %arg0) : (f32, f32) -> f32
// CHECK-NEXT:    %1 = llvm.intr.roundeven(%0) {fastmathFlags = #llvm.fastmath<nnan>} : (f32) -> f32
// CHECK-NEXT:    %2 = llvm.intr.smax(%arg1, %arg1) : (i32, i32) -> i32
// CHECK-NEXT:    %3 = "llvm.intr.ctlz"(%2) <{is_zero_poison = false}> : (i32) -> i32
// CHECK-NEXT:    %4 = llvm.intr.fptosi.sat(%1) : (f32) -> i32
// CHECK-NEXT:    %5 = llvm.intr.fshl(%3, %4, %arg1) : (i32, i32, i32) -> i32
// CHECK-NEXT:    %6 = llvm.intr.vector.reduce.add(%arg2) : (vector<4xi32>) -> i32
llvm.func @intrinsics(%x: f32, %i: i32, %v: vector<4xi32>) {
  %0 = llvm.intr.maximum(%x, %x) : (f32, f32) -> f32
  %1 = llvm.intr.roundeven(%0) {fastmathFlags = #llvm.fastmath<nnan>} : (f32) -> f32
  %2 = llvm.intr.smax(%i, %i) : (i32, i32) -> i32
  %3 = "llvm.intr.ctlz"(%2) <{is_zero_poison = false}> : (i32) -> i32
  %4 = llvm.intr.fptosi.sat(%1) : (f32) -> i32
  %5 = llvm.intr.fshl(%3, %4, %i) : (i32, i32, i32) -> i32
  %6 = llvm.intr.vector.reduce.add(%v) : (vector<4xi32>) -> i32
  llvm.return
}

// CHECK-LABEL: llvm.module_flags [#llvm.mlir.module_flag<warning, "Debug Info Version", 3 : i32>, #llvm.mlir.module_flag<require, "a", "b">] {test.note}
llvm.module_flags [#llvm.mlir.module_flag<warning, "Debug Info Version", 3 : i32>, #llvm.mlir.module_flag<require, "a", "b">] {test.note}
