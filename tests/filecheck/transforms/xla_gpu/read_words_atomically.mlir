// RUN: xshardy-opt %s -p xla-gpu-read-words-atomically | filecheck %s

// CHECK-LABEL: func.func @word_of_a_loop
// CHECK-NEXT:    %{{.*}} = llvm.load %{{.*}} atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> i32
func.func @word_of_a_loop(%p: !llvm.ptr) {
  %0 = llvm.load %p : !llvm.ptr -> i32
  %1 = scf.while (%old = %0) : (i32) -> i32 {
    %2 = llvm.cmpxchg %p, %old, %old monotonic monotonic : !llvm.ptr, i32
    %3 = llvm.extractvalue %2[0] : !llvm.struct<(i32, i1)>
    %4 = llvm.extractvalue %2[1] : !llvm.struct<(i32, i1)>
    scf.condition(%4) %3 : i32
  } do {
  ^bb0(%found: i32):
    scf.yield %found : i32
  }
  func.return
}

// CHECK-LABEL: func.func @another_word
// CHECK-NEXT:    %{{.*}} = llvm.load %{{.*}} : !llvm.ptr -> i32
func.func @another_word(%p: !llvm.ptr, %q: !llvm.ptr) {
  %0 = llvm.load %q : !llvm.ptr -> i32
  %1 = scf.while (%old = %0) : (i32) -> i32 {
    %2 = llvm.cmpxchg %p, %old, %old monotonic monotonic : !llvm.ptr, i32
    %3 = llvm.extractvalue %2[0] : !llvm.struct<(i32, i1)>
    %4 = llvm.extractvalue %2[1] : !llvm.struct<(i32, i1)>
    scf.condition(%4) %3 : i32
  } do {
  ^bb0(%found: i32):
    scf.yield %found : i32
  }
  func.return
}

// CHECK-LABEL: func.func @no_loop
// CHECK-NEXT:    %{{.*}} = llvm.load %{{.*}} : !llvm.ptr -> i32
func.func @no_loop(%p: !llvm.ptr) -> i32 {
  %0 = llvm.load %p : !llvm.ptr -> i32
  func.return %0 : i32
}

// What orders other accesses too stays as it is.
// CHECK-LABEL: func.func @acquired
// CHECK-NEXT:    %{{.*}} = llvm.load %{{.*}} atomic acquire {alignment = 4 : i64} : !llvm.ptr -> i32
func.func @acquired(%p: !llvm.ptr) {
  %0 = llvm.load %p atomic acquire {alignment = 4 : i64} : !llvm.ptr -> i32
  %1 = scf.while (%old = %0) : (i32) -> i32 {
    %2 = llvm.cmpxchg %p, %old, %old monotonic monotonic : !llvm.ptr, i32
    %3 = llvm.extractvalue %2[0] : !llvm.struct<(i32, i1)>
    %4 = llvm.extractvalue %2[1] : !llvm.struct<(i32, i1)>
    scf.condition(%4) %3 : i32
  } do {
  ^bb0(%found: i32):
    scf.yield %found : i32
  }
  func.return
}
