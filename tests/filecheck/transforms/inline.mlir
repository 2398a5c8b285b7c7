// RUN: xshardy-opt %s -p inline --split-input-file | filecheck %s

// The only call to a private function: the body moves, and the function goes.

// CHECK-LABEL: func.func @moves(
// CHECK-SAME:    %[[A:.*]]: f32, %[[B:.*]]: f32)
// CHECK-NEXT:    %[[SUM:.*]] = arith.addf %[[B]], %[[A]] : f32
// CHECK-NEXT:    %[[TWICE:.*]] = arith.mulf %[[SUM]], %[[SUM]] : f32
// CHECK-NEXT:    return %[[TWICE]] : f32
// CHECK-NOT:   func.func
func.func @moves(%a: f32, %b: f32) -> f32 {
  %0 = xla_gpu.pure_call @sum(%b, %a) : (f32, f32) -> f32
  %1 = arith.mulf %0, %0 : f32
  return %1 : f32
}
func.func private @sum(%x: f32, %y: f32) -> f32 {
  %0 = arith.addf %x, %y : f32
  return %0 : f32
}

// -----

// Callees come before callers, so a chain of calls collapses whatever the order of the text.

// CHECK-LABEL: func.func @chain(
// CHECK-NEXT:    arith.negf
// CHECK-NEXT:    math.exp
// CHECK-NEXT:    return
// CHECK-NOT:   func.func
func.func private @inner(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}
func.func @chain(%a: f32) -> f32 {
  %0 = func.call @outer(%a) : (f32) -> f32
  return %0 : f32
}
func.func private @outer(%x: f32) -> f32 {
  %0 = arith.negf %x : f32
  %1 = xla_gpu.pure_call @inner(%0) : (f32) -> f32
  return %1 : f32
}

// -----

// Several results, and a call in a nested region.

// CHECK-LABEL: func.func @nested(
// CHECK-SAME:    %[[A:.*]]: f32, %[[C:.*]]: i1)
// CHECK-NEXT:    %[[IF:.*]] = scf.if %[[C]] -> (f32) {
// CHECK-NEXT:      %[[NEG:.*]] = arith.negf %[[A]] : f32
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[NEG]], %[[A]] : f32
// CHECK-NEXT:      scf.yield %[[SUM]] : f32
// CHECK-NEXT:    } else {
func.func @nested(%a: f32, %c: i1) -> f32 {
  %0 = scf.if %c -> (f32) {
    %1, %2 = xla_gpu.pure_call @two(%a) : (f32) -> (f32, f32)
    %3 = arith.addf %1, %2 : f32
    scf.yield %3 : f32
  } else {
    scf.yield %a : f32
  }
  return %0 : f32
}
func.func private @two(%x: f32) -> (f32, f32) {
  %0 = arith.negf %x : f32
  return %0, %x : f32, f32
}

// -----

// Two calls in one block: computing it twice is no gain.

// CHECK-LABEL: func.func @called_twice(
// CHECK-COUNT-2: xla_gpu.pure_call @twice
// CHECK:       func.func private @twice
func.func @called_twice(%a: f32) -> f32 {
  %0 = xla_gpu.pure_call @twice(%a) : (f32) -> f32
  %1 = xla_gpu.pure_call @twice(%0) : (f32) -> f32
  return %1 : f32
}
func.func private @twice(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// -----

// Two callers, each with one call, that share a callee with it: copied into both, so that the shared calls may merge.

// CHECK-LABEL: func.func @first(
// CHECK-NEXT:    xla_gpu.pure_call @shared
// CHECK-NEXT:    xla_gpu.pure_call @shared
// CHECK-NEXT:    arith.negf
// CHECK-NEXT:    arith.addf
// CHECK-LABEL: func.func @second(
// CHECK-NOT:     @between
// CHECK:       func.func private @shared
// CHECK-NOT:   func.func private @between
func.func @first(%a: f32) -> f32 {
  %0 = xla_gpu.pure_call @shared(%a) : (f32) -> f32
  %1 = xla_gpu.pure_call @between(%a) : (f32) -> f32
  %2 = arith.addf %0, %1 : f32
  return %2 : f32
}
func.func @second(%a: f32) -> f32 {
  %0 = xla_gpu.pure_call @shared(%a) : (f32) -> f32
  %1 = xla_gpu.pure_call @between(%a) : (f32) -> f32
  %2 = arith.mulf %0, %1 : f32
  return %2 : f32
}
func.func private @between(%x: f32) -> f32 {
  %0 = xla_gpu.pure_call @shared(%x) : (f32) -> f32
  %1 = arith.negf %0 : f32
  return %1 : f32
}
func.func private @shared(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// -----

// A function without computation is inlined everywhere; a call marked `noinline` stays, even the only one.

// CHECK-LABEL: func.func @attributes(
// CHECK-SAME:    %[[A:.*]]: f32)
// CHECK-NEXT:    %[[C:.*]] = xla_gpu.pure_call @wanted(%[[A]]) {noinline} : (f32) -> f32
// CHECK-NEXT:    %[[S:.*]] = arith.addf %[[A]], %[[C]] : f32
// CHECK-NEXT:    return %[[S]] : f32
// CHECK:       func.func private @wanted
// CHECK-NOT:   func.func private @nothing
func.func @attributes(%a: f32) -> f32 {
  %0 = xla_gpu.pure_call @nothing(%a) : (f32) -> f32
  %1 = xla_gpu.pure_call @wanted(%a) {noinline} : (f32) -> f32
  %2 = xla_gpu.pure_call @nothing(%1) : (f32) -> f32
  %3 = arith.addf %0, %2 : f32
  return %3 : f32
}
func.func private @nothing(%x: f32) -> f32 attributes {no_compute = true} {
  return %x : f32
}
func.func private @wanted(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// -----

// A public callee is copied, and stays.

// CHECK-LABEL: func.func @calls_public(
// CHECK-NEXT:    xla_gpu.pure_call @public_function
// CHECK-LABEL: func.func @public_function(
func.func @calls_public(%a: f32) -> f32 {
  %0 = xla_gpu.pure_call @public_function(%a) : (f32) -> f32
  return %0 : f32
}
func.func @public_function(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// -----

// Declarations, recursive functions and bodies of several blocks are left alone; of a cycle, one function is enough.

// CHECK-LABEL: func.func @left_alone(
// CHECK-NEXT:    call @declared
// CHECK-NEXT:    call @recursive
// CHECK-NEXT:    call @blocks
// CHECK:       func.func private @declared
// CHECK:       func.func private @recursive
// CHECK-NEXT:    call @recursive
// CHECK-NOT:   func.func private @mutual
// CHECK:       func.func private @blocks
func.func @left_alone(%a: f32) -> f32 {
  %0 = func.call @declared(%a) : (f32) -> f32
  %1 = func.call @recursive(%0) : (f32) -> f32
  %2 = func.call @blocks(%1) : (f32) -> f32
  return %2 : f32
}
func.func private @declared(f32) -> f32
func.func private @recursive(%x: f32) -> f32 {
  %0 = func.call @mutual(%x) : (f32) -> f32
  return %0 : f32
}
func.func private @mutual(%x: f32) -> f32 {
  %0 = func.call @recursive(%x) : (f32) -> f32
  return %0 : f32
}
func.func private @blocks(%x: f32) -> f32 {
  cf.br ^bb1(%x : f32)
^bb1(%y: f32):
  return %y : f32
}

// -----

// Private functions that nothing calls are erased, also those that only such functions call.

// CHECK-LABEL: func.func @unused_functions(
// CHECK-NOT:   func.func
func.func @unused_functions() {
  return
}
func.func private @unused(%a: f32) -> f32 {
  %0 = xla_gpu.pure_call @called_by_unused(%a) {noinline} : (f32) -> f32
  return %0 : f32
}
func.func private @called_by_unused(%x: f32) -> f32 {
  return %x : f32
}

// -----

// A `func.call` is always inlined, as in MLIR: also a public function, and each of several calls.

// CHECK-LABEL: func.func @calls(
// CHECK-NEXT:    arith.negf
// CHECK-NEXT:    arith.negf
// CHECK-NEXT:    return
// CHECK:       func.func @public
func.func @calls(%a: f32) -> f32 {
  %0 = func.call @public(%a) : (f32) -> f32
  %1 = func.call @public(%0) : (f32) -> f32
  return %1 : f32
}
func.func @public(%x: f32) -> f32 {
  %0 = arith.negf %x : f32
  return %0 : f32
}

// -----

// MLIR's mark that keeps calls, of a call and of a function.

// CHECK-LABEL: func.func @marked(
// CHECK-NEXT:    call @f(
// CHECK-NEXT:    call @g(
// CHECK-NEXT:    return
func.func @marked(%a: f32) -> f32 {
  %0 = func.call @f(%a) {no_inline} : (f32) -> f32
  %1 = func.call @g(%0) : (f32) -> f32
  return %1 : f32
}
func.func private @f(%x: f32) -> f32 {
  %0 = arith.negf %x : f32
  return %0 : f32
}
func.func private @g(%x: f32) -> f32 attributes {no_inline} {
  %0 = arith.negf %x : f32
  return %0 : f32
}

// -----

// For CPUs, a small function goes into each of its callers, also if these call nothing that it calls.

// CHECK-LABEL: func.func @on_cpu(
// CHECK-NEXT:    arith.negf
// CHECK-NEXT:    arith.negf
// CHECK-NEXT:    return
func.func @on_cpu(%a: f32) -> f32 attributes {xla.backend_kind = #xla_gpu.backend_kind<cpu>} {
  %0 = xla_gpu.pure_call @negated(%a) : (f32) -> f32
  %1 = xla_gpu.pure_call @other(%0) : (f32) -> f32
  return %1 : f32
}
func.func private @other(%x: f32) -> f32 {
  %0 = xla_gpu.pure_call @negated(%x) : (f32) -> f32
  return %0 : f32
}
func.func private @negated(%x: f32) -> f32 {
  %0 = arith.negf %x : f32
  return %0 : f32
}

// -----

// For GPUs it stays.

// CHECK-LABEL: func.func @on_gpu(
// CHECK-NEXT:    xla_gpu.pure_call @negated
// CHECK-NEXT:    xla_gpu.pure_call @negated
func.func @on_gpu(%a: f32) -> f32 attributes {xla.backend_kind = #xla_gpu.backend_kind<gpu>} {
  %0 = xla_gpu.pure_call @negated(%a) : (f32) -> f32
  %1 = xla_gpu.pure_call @other(%0) : (f32) -> f32
  return %1 : f32
}
func.func private @other(%x: f32) -> f32 {
  %0 = xla_gpu.pure_call @negated(%x) : (f32) -> f32
  return %0 : f32
}
func.func private @negated(%x: f32) -> f32 {
  %0 = arith.negf %x : f32
  return %0 : f32
}
