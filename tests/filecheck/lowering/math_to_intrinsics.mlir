// RUN: xshardy-opt %s -p convert-math-to-intrinsics | filecheck %s

// CHECK-LABEL: func.func @intrinsics
// CHECK-NEXT:    llvm.intr.sqrt(%arg0) : (f32) -> f32
// CHECK-NEXT:    llvm.intr.fma(%arg0, %0, %arg0) : (f32, f32, f32) -> f32
func.func @intrinsics(%x: f32) -> f32 {
  %0 = math.sqrt %x : f32
  %1 = math.fma %x, %0, %x : f32
  func.return %1 : f32
}
