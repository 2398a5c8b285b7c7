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

// -----
// Slices and paddings have one operand per index that is not static.
// CHECK: error: 'tensor.extract_slice' op The number of dynamic positions passed as values (0) does not match the number of dynamic position markers (1) in the size arguments.
func.func @extract_slice_without_its_size(%t: tensor<8xf32>) {
  %0 = "tensor.extract_slice"(%t) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 1>, static_sizes = array<i64: -9223372036854775808>, static_strides = array<i64: 1>}> : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----
// CHECK: error: 'tensor.pad' op expected 0 dynamic high, one for each in static_high, got 1
func.func @pad_with_an_operand_too_many(%t: tensor<8xf32>, %i: index) {
  %0 = "tensor.pad"(%t, %i) <{operandSegmentSizes = array<i32: 1, 0, 1>, static_low = array<i64: 1>, static_high = array<i64: 1>}> ({
  ^bb0(%j: index):
    %c = arith.constant 0.0 : f32
    tensor.yield %c : f32
  }) : (tensor<8xf32>, index) -> tensor<10xf32>
  return
}

// -----
// CHECK: error: 'tensor.pad' op expected 1 dynamic low, one for each in static_low, got 0
func.func @pad_without_an_operand(%t: tensor<8xf32>) {
  %0 = "tensor.pad"(%t) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_low = array<i64: -9223372036854775808>, static_high = array<i64: 1>}> ({
  ^bb0(%j: index):
    %c = arith.constant 0.0 : f32
    tensor.yield %c : f32
  }) : (tensor<8xf32>) -> tensor<?xf32>
  return
}

// -----
// CHECK: error: 'tensor.parallel_insert_slice' op expected 0 dynamic offsets, one for each in static_offsets, got 1
func.func @parallel_insert_slice(%u: tensor<4xf32>, %t: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %0 = scf.forall (%i) in (2) shared_outs(%out = %t) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      "tensor.parallel_insert_slice"(%u, %out, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, static_offsets = array<i64: 1>, static_sizes = array<i64: 4>, static_strides = array<i64: 1>}> : (tensor<4xf32>, tensor<8xf32>, index) -> ()
    }
  }
  return %0 : tensor<8xf32>
}

// -----
// CHECK: error: 'func.func' op arguments may only have dialect attributes: call 'mine' 'a_dialect.mine'
func.func @attribute_of_an_argument(%x: f32 {mine = 1 : i32}) {
  return
}

// -----
// CHECK: error: 'func.func' op results may only have dialect attributes: call 'mine' 'a_dialect.mine'
func.func private @attribute_of_a_result(f32) -> (f32 {test.its = 1 : i32}, f32 {mine})

// -----
// CHECK: error: 'func.func' op symbol's parent must have the SymbolTable trait, which 'func.func' does not: move the function into the module
func.func @around() {
  func.func private @inside()
  return
}
