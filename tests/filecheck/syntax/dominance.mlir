// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: dominance.mlir:{{[0-9]+}}:8: error: operand #0 does not dominate this use
// CHECK-NEXT: %0 = stablehlo.abs %1
// CHECK: dominance.mlir:{{[0-9]+}}:8: note: operand defined here (op in the same block)
// CHECK-NEXT: %1 = stablehlo.abs %0
func.func @used_before_it_is_defined(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.abs %1 : tensor<8xf32>
  %1 = stablehlo.abs %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----
// CHECK: error: operand #1 does not dominate this use
// CHECK: note: operand defined here (op in a parent region)
func.func @reads_the_result_of_the_operation_around(%y: f32) -> f32 {
  %r = scf.execute_region -> f32 {
    %x = arith.addf %y, %r : f32
    scf.yield %x : f32
  }
  return %r : f32
}

// -----
// CHECK: error: operand #0 does not dominate this use
// CHECK: note: operand defined here (op in a parent region)
func.func @reads_what_follows_the_operation_around(%c: i1) -> f32 {
  scf.if %c {
    %y = arith.negf %x : f32
  }
  %x = arith.constant 1.0 : f32
  return %x : f32
}

// -----
// CHECK: error: operand #0 does not dominate this use
// CHECK-NEXT: return %x
// CHECK: note: operand defined here (op in the same region)
func.func @one_of_two_paths_defines_it(%c: i1) -> f32 {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %x = arith.constant 1.0 : f32
  cf.br ^bb2
^bb2:
  return %x : f32
}

// -----
// CHECK: error: operand #0 does not dominate this use
// CHECK-NEXT: return %x
func.func @argument_of_a_block_on_one_of_two_paths(%c: i1, %y: f32) -> f32 {
  cf.cond_br %c, ^bb1(%y : f32), ^bb2
^bb1(%x: f32):
  cf.br ^bb2
^bb2:
  return %x : f32
}

// -----
// CHECK: func.func @a_block_in_front_in_the_text_reads_it
func.func @a_block_in_front_in_the_text_reads_it(%y: f32) -> f32 {
  cf.br ^bb2
^bb1:
  return %x : f32
^bb2:
  %x = arith.negf %y : f32
  cf.br ^bb1
}

// -----
// CHECK: func.func @a_loop_reads_what_dominates_it
func.func @a_loop_reads_what_dominates_it(%c: i1, %y: f32) -> f32 {
  %x = arith.negf %y : f32
  cf.br ^bb1(%x : f32)
^bb1(%v: f32):
  %w = arith.addf %v, %x : f32
  cf.cond_br %c, ^bb1(%w : f32), ^bb2
^bb2:
  return %w : f32
}

// -----
// CHECK: func.func @what_is_not_reachable_may_read_anything
func.func @what_is_not_reachable_may_read_anything(%y: f32) -> f32 {
  return %y : f32
^bb1:
  %z = arith.negf %x : f32
  %x = arith.negf %z : f32
  cf.br ^bb1
}

// -----
// A module has no order.
// CHECK: "test.op"
// CHECK-NEXT: "test.op"
%x = "test.op"(%y) : (f32) -> f32
%y = "test.op"(%x) : (f32) -> f32
