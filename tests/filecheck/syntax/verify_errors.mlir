// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s
// RUN: not xshardy-opt %s --split-input-file 2>&1 | filecheck %s

// The complaint names the operation, at its place.
// CHECK: verify_errors.mlir:7:3: error: 'func.call' op 'nobody' does not reference a valid function
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

// -----

// CHECK: error: 'func.call' op 'mesh' does not reference a valid function
sdy.mesh @mesh = <["x"=2]>
func.func @calls_a_mesh() {
  func.call @mesh() : () -> ()
  func.return
}

// -----

// CHECK: error: 'func.call' op incorrect number of operands for callee
func.func private @callee(f32) -> f32
func.func @too_few_arguments() {
  %0 = func.call @callee() : () -> f32
  func.return
}

// -----

// CHECK: error: 'func.call' op operand type mismatch: expected operand type 'f32', but provided 'i32' for operand number 0
func.func private @callee(f32) -> f32
func.func @wrong_argument(%x: i32) {
  %0 = func.call @callee(%x) : (i32) -> f32
  func.return
}

// -----

// CHECK: error: 'func.call' op incorrect number of results for callee
func.func private @callee(f32) -> f32
func.func @too_many_results(%x: f32) {
  %0:2 = func.call @callee(%x) : (f32) -> (f32, f32)
  func.return
}

// -----

// CHECK: error: 'func.call' op result type mismatch at index 0: the result is a 'i32', but the function returns a 'f32'
func.func private @callee(f32) -> f32
func.func @wrong_result(%x: f32) {
  %0 = func.call @callee(%x) : (f32) -> i32
  func.return
}

// -----

// CHECK: error: 'llvm.call' op 'nobody' does not reference a symbol in the current scope
llvm.func @missing_llvm_callee() {
  llvm.call @nobody() : () -> ()
  llvm.return
}

// -----

// CHECK: error: 'llvm.call' op 'callee' does not reference a valid LLVM function
func.func private @callee()
llvm.func @callee_of_another_dialect() {
  llvm.call @callee() : () -> ()
  llvm.return
}

// -----

// CHECK: error: 'arith.addi' op block with no terminator
func.func @block_without_terminator(%x: i32) {
  cf.br ^bb1
^bb1:
  %0 = arith.addi %x, %x : i32
^bb2:
  func.return
}
