// RUN: xshardy-opt %s --split-input-file -p convert-cf-to-llvm,convert-complex-to-llvm,convert-func-to-llvm | filecheck %s
// RUN: xshardy-opt %s --split-input-file -p xla-gpu-attach-target,xla-gpu-attach-target | filecheck %s --check-prefix TARGET

// The target of each kind of branch gets LLVM types. The same target may be stated twice.
// CHECK-LABEL: llvm.func @branch
// CHECK:         llvm.br ^bb1(%{{.*}} : i64)
// CHECK-NEXT:  ^bb1(%{{.*}}: i64):
// TARGET:      module attributes {nvvm.target = #nvvm.target<chip = "sm_90">} {
func.func @branch(%i: index) {
  cf.br ^bb1(%i : index)
^bb1(%j: index):
  func.return
}

// -----

// CHECK-LABEL: llvm.func @conditional_branch
// CHECK:         llvm.cond_br %arg0, ^bb1(%{{.*}}, %arg3 : i64, f32), ^bb2(%{{.*}} : i64)
// CHECK-NEXT:  ^bb1(%{{.*}}: i64, %{{.*}}: f32):
// CHECK:       ^bb2(%{{.*}}: i64):
func.func @conditional_branch(%c: i1, %i: index, %j: index, %x: f32) {
  cf.cond_br %c, ^bb1(%i, %x : index, f32), ^bb2(%j : index)
^bb1(%k: index, %y: f32):
  func.return
^bb2(%l: index):
  func.return
}

// -----

// CHECK-LABEL: llvm.func @switch
// CHECK:         llvm.cond_br %{{.*}}, ^bb2(%{{.*}} : i64), ^bb1
// CHECK-NEXT:  ^bb1:
// CHECK-NEXT:    llvm.br ^bb2(%{{.*}} : i64)
// CHECK-NEXT:  ^bb2(%{{.*}}: i64):
func.func @switch(%f: i32, %i: index) {
  cf.switch %f : i32, [
    default: ^bb1(%i : index),
    3: ^bb1(%i : index)
  ]
^bb1(%j: index):
  func.return
}

// -----

// CHECK-LABEL: llvm.func @switch_without_cases
// CHECK:         llvm.br ^bb1(%{{.*}} : i64)
func.func @switch_without_cases(%f: i32, %i: index) {
  cf.switch %f : i32, [
    default: ^bb1(%i : index)
  ]
^bb1(%j: index):
  func.return
}

// -----

// Only private functions are internal. Attributes of results stay.
// CHECK-DAG: llvm.func internal @hidden()
// CHECK-DAG: llvm.func @stated() {
// CHECK-DAG: llvm.func @default() {
// CHECK-DAG: llvm.func @declared()
// CHECK-DAG: llvm.func @result() -> (i32 {llvm.noundef})
func.func private @hidden() {
  func.return
}
func.func public @stated() {
  func.return
}
func.func @default() {
  func.return
}
func.func private @declared()
func.func @result() -> (i32 {llvm.noundef}) {
  %0 = llvm.mlir.constant(1 : i32) : i32
  func.return %0 : i32
}

// -----

// Complex numbers of floats and of integers are structs.
// CHECK-LABEL: llvm.func @complex_constants
// CHECK:         llvm.mlir.constant(1.000000e+00 : f32) : f32
// CHECK:         llvm.mlir.constant(2.000000e+00 : f32) : f32
// CHECK:         llvm.mlir.constant(3 : i32) : i32
// CHECK:         llvm.mlir.constant(4 : i32) : i32
func.func @complex_constants() {
  %0 = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>
  %1 = complex.constant [3 : i32, 4 : i32] : complex<i32>
  func.return
}
