// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: a shuffle moves 32 bits: expected i32 or f32, not f64
llvm.func @wide_shuffle(%x: f64, %i: i32) {
  %0 = nvvm.shfl.sync bfly %i, %x, %i, %i : f64 -> f64
  llvm.return
}
