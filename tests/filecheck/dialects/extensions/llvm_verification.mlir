// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: compares i64, stores i32 and gives !llvm.struct<(i32, i1)>: expected one type T to compare and store, and a result (T, i1)
llvm.func @exchange(%p: !llvm.ptr, %i: i32, %j: i64) {
  %0 = "llvm.cmpxchg"(%p, %j, %i) <{success_ordering = #llvm<atomic_ordering monotonic>, failure_ordering = #llvm<atomic_ordering monotonic>}> : (!llvm.ptr, i64, i32) -> !llvm.struct<(i32, i1)>
  llvm.return
}

// -----

// CHECK: compares vector<4xf32>: expected the result vector<4xi1>, not i1
llvm.func @comparison(%v: vector<4xf32>) {
  %0 = "llvm.fcmp"(%v, %v) <{predicate = 1 : i64}> : (vector<4xf32>, vector<4xf32>) -> i1
  llvm.return
}

// -----

// CHECK: flag "PIC Level": expected one of error, warning, require, override, append, append_unique, max, min, not sum
llvm.module_flags [#llvm.mlir.module_flag<sum, "PIC Level", 2 : i32>]

// -----

// CHECK: 'llvm.module_flags' expects parent op 'builtin.module'
llvm.func @flags() {
  llvm.module_flags []
  llvm.return
}
