// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s

// Types of the dialect go without its prefix inside each other, but not inside builtin types.
// CHECK:      a = !llvm.struct<(f32, ptr, array<2 x i32>)>
// CHECK-SAME: b = !llvm.array<2 x struct<(ptr<3>)>>
// CHECK-SAME: c = vector<2x!llvm.ptr>
"test.op"() {
  a = !llvm.struct<(f32, !llvm.ptr, !llvm.array<2 x i32>)>, b = !llvm.array<2 x struct<(ptr<3>)>>, c = vector<2x!llvm.ptr>
} : () -> ()

// CHECK-LABEL: func.func @constants
// CHECK-NEXT:    %0 = llvm.mlir.constant(3 : i64) : i64
// CHECK-NEXT:    %1 = llvm.mlir.constant(true) : i1
func.func @constants() {
  %0 = llvm.mlir.constant(3) : i64
  %1 = llvm.mlir.constant(true) : i1
  return
}
