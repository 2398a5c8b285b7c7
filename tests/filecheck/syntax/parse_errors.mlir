// RUN: xshardy-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: parse_errors.mlir:5:3: error: operation 'arith.nothing' is not registered
func.func @unknown_operation() {
  arith.nothing
}

// -----

// CHECK: parse_errors.mlir:12:15: error: use of undeclared SSA value name %y
func.func @undeclared(%x: i32) -> i32 {
  func.return %y : i32
}

// -----

// CHECK: parse_errors.mlir:19:3: error: 'func.call' op has 1 results, but 2 names are bound to them
func.func @too_many_names() -> i32 {
  %0:2 = func.call @too_many_names() : () -> i32
  func.return %0#0 : i32
}

// -----

// CHECK: error: either all arguments of a function have names, or none has
func.func @half_named(%x: i32, f32) {
}

// -----

// CHECK: error: expected an operation, but there is none in the input

// -----

// CHECK: error: 'arith.constant' op Integer value 300 is out of range for type i8
func.func @too_large() {
  %0 = arith.constant 300 : i8
  func.return
}
