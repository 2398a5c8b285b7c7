// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s
// RUN: not xshardy-opt %s --split-input-file 2>&1 | filecheck %s

// The complaint names the operation, at its place.
// CHECK: verify_errors.mlir:7:3: error: 'func.call' op '@nobody' could not be found in symbol table
func.func @missing_callee() {
  func.call @nobody() : () -> ()
  func.return
}

// -----

// CHECK: error: 'scf.for' op scf.yield expected 1 args, but got 0
func.func @yields_too_little(%n: index, %x: f32) {
  %0 = scf.for %i = %n to %n step %n iter_args(%carried = %x) -> (f32) {
    scf.yield
  }
  func.return
}

// -----

// CHECK: error: 'arith.addi' op Expected 2 operands, but got 1
// CHECK-NEXT:   %0 = "arith.addi"(%x) : (i32) -> i32
// CHECK-NEXT:        ^
func.func @too_few_operands(%x: i32) {
  %0 = "arith.addi"(%x) : (i32) -> i32
  func.return
}
