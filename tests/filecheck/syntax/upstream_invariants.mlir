// RUN: xshardy-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// The braces are a dictionary of attributes: the function has no body.
// CHECK: error: 'func.func' op symbol declaration cannot have public visibility: give the function a body, or declare it `private`
func.func @params() attributes  {
  func.return
}

// -----
// CHECK: error: 'func.func' op symbol declaration cannot have public visibility
func.func public @public(i32)

// -----
// CHECK: func.func private @private(i32)
// CHECK: func.func nested @nested(i32)
func.func private @private(i32)
func.func nested @nested(i32)

// -----
// CHECK: error: 'scf.if' op along control flow edge from Operation scf.yield to parent: region branch point has 0 operands, but region successor needs 2 inputs
func.func @a_branch_without_yield(%c: i1, %x: f32) -> f32 {
  %r:2 = scf.if %c -> (f32, f32) {
  } else {
    scf.yield %x, %x : f32, f32
  }
  return %r#0 : f32
}

// -----
// CHECK: error: 'scf.if' op along control flow edge from Operation scf.yield to parent: successor operand type #0 'f32' should match successor input type #0 'i32'
func.func @a_branch_yields_another_type(%c: i1, %x: f32, %i: i32) -> i32 {
  %r = scf.if %c -> i32 {
    scf.yield %i : i32
  } else {
    scf.yield %x : f32
  }
  return %r : i32
}

// -----
// CHECK: error: 'scf.if' op must have an else block if defining values
func.func @results_without_else(%c: i1, %x: f32) -> f32 {
  %r = scf.if %c -> f32 {
    scf.yield %x : f32
  }
  return %r : f32
}

// -----
// CHECK: :{{[0-9]+}}:64: error: use of undeclared SSA value name %a
func.func @initial_value_reads_an_argument_of_the_body(%n: index, %x: f32) -> f32 {
  %0:2 = scf.for %i = %n to %n step %n iter_args(%a = %x, %b = %a) -> (f32, f32) {
    scf.yield %a, %b : f32, f32
  }
  return %0#0 : f32
}

// -----
// CHECK: error: use of undeclared SSA value name %x
func.func @value_of_an_inner_region(%c: i1) {
  "test.op"(%x) : (f32) -> ()
  scf.if %c {
    %x = arith.constant 1.0 : f32
  }
  return
}

// -----
// CHECK: error: use of undeclared SSA value name %x
func.func @value_of_another_function() -> f32 {
  return %x : f32
}
func.func @defines_it(%y: f32) -> f32 {
  %x = arith.negf %y : f32
  return %x : f32
}

// -----
// CHECK: error: use of value '%x' expects different type than prior uses: 'i32' vs 'f32'
func.func @two_types(%c: i1) {
  "test.op"(%x) : (f32) -> ()
  scf.if %c {
    "test.op"(%x) : (i32) -> ()
  }
  return
}

// -----
// CHECK: "test.op"(%{{.*}})
// CHECK: "test.op"(%{{.*}})
// CHECK: ^bb2
// CHECK: arith.constant
func.func @a_later_block_defines_it(%c: i1) {
  cf.br ^bb2
^bb1:
  "test.op"(%x) : (f32) -> ()
  scf.if %c {
    "test.op"(%x) : (f32) -> ()
  }
  return
^bb2:
  %x = arith.constant 1.0 : f32
  cf.br ^bb1
}
