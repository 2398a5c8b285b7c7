// RUN: xshardy-opt %s -p convert-math-to-intrinsics --verify-diagnostics --split-input-file | filecheck %s

// CHECK: there is no library of functions for AMD's GPUs: run xla-gpu-expand-math-functions first
func.func @without_library(%x: f32) -> f32 {
  %0 = math.tanh %x : f32
  func.return %0 : f32
}
