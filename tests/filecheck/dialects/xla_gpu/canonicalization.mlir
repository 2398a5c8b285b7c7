// RUN: xshardy-opt %s -p xla-gpu-canonicalize --split-input-file | filecheck %s

// The map is simplified with the ranges of its variables.
// CHECK: #[[MAP:.*]] = #xla_gpu.indexing_map<"(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]">
// CHECK: func.func @simplify(
// CHECK-NEXT:    xla_gpu.apply_indexing #[[MAP]](%arg0, %arg1)
func.func @simplify(%a: index, %b: index) -> index {
  %r = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0, d1) -> ((d0 * 8 + d1) mod 32), domain: d0 in [0, 3], d1 in [0, 7]">(%a, %b)
  return %r : index
}

// -----

// What cannot be simplified stays: the sum may be 32.
// CHECK: #[[MAP:.*]] = #xla_gpu.indexing_map<"(d0, d1) -> ((d0 * 8 + d1) mod 32), domain: d0 in [0, 3], d1 in [0, 8]">
// CHECK: func.func @simple_already(
// CHECK-NEXT:    xla_gpu.apply_indexing #[[MAP]](%arg0, %arg1)
func.func @simple_already(%a: index, %b: index) -> index {
  %r = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0, d1) -> ((d0 * 8 + d1) mod 32), domain: d0 in [0, 3], d1 in [0, 8]">(%a, %b)
  return %r : index
}

// -----

// CHECK: #[[MAP:.*]] = #xla_gpu.indexing_map<"(d0, d1) -> (d0 + d1), domain: d0 in [0, 3], d1 in [0, 1]">
// CHECK: func.func @symbols_become_dimensions(
// CHECK-NEXT:    xla_gpu.apply_indexing #[[MAP]](%arg0, %arg1)
func.func @symbols_become_dimensions(%a: index, %b: index) -> index {
  %r = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]">(%a)[%b]
  return %r : index
}

// -----

// Names of variables are kept.
// CHECK: #[[MAP:.*]] = #xla_gpu.indexing_map<"(th_x, v) -> (th_x + v), domain: th_x in [0, 3], v in [0, 1]">
// CHECK: func.func @unused_variables(
// CHECK-NEXT:    xla_gpu.apply_indexing #[[MAP]](%arg0, %arg2)
func.func @unused_variables(%a: index, %b: index, %c: index) -> index {
  %r = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(th_x, bl_x)[v] -> (th_x + v), domain: th_x in [0, 3], bl_x in [0, 9], v in [0, 1]">(%a, %b)[%c]
  return %r : index
}

// -----

// CHECK: #[[MAP:.*]] = #xla_gpu.indexing_map<"(d0) -> (d0 + 5), domain: d0 in [0, 3]">
// CHECK: func.func @constant_operands(
// CHECK-NEXT:    %[[R:.*]] = xla_gpu.apply_indexing #[[MAP]](%arg0)
// CHECK-NEXT:    return %[[R]]
func.func @constant_operands(%a: index) -> index {
  %c5 = arith.constant 5 : index
  %r = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0, d1) -> (d0 + d1), domain: d0 in [0, 3], d1 in [0, 9]">(%a, %c5)
  return %r : index
}

// -----

// Constant and plain results need no map, and an unused one goes.
// CHECK: #[[MAP:.*]] = #xla_gpu.indexing_map<"(d0) -> (d0 mod 2), domain: d0 in [0, 3]">
// CHECK: func.func @results(
// CHECK:         %[[C7:.*]] = arith.constant 7 : index
// CHECK:         %[[R:.*]] = xla_gpu.apply_indexing #[[MAP]](%arg0) {note = "kept"}
// CHECK-NEXT:    return %[[R]], %arg1, %[[C7]]
func.func @results(%a: index, %b: index) -> (index, index, index) {
  %r:4 = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0, d1) -> (d0 mod 2, d1, 7, d1 mod 2), domain: d0 in [0, 3], d1 in [0, 3]">(%a, %b) {note = "kept"}
  return %r#0, %r#1, %r#2 : index, index, index
}

// -----

// CHECK: func.func @all_results(
// CHECK-NEXT:    return %arg1, %arg0
func.func @all_results(%a: index, %b: index) -> (index, index) {
  %r:2 = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0)[s0] -> (s0, d0), domain: d0 in [0, 3], s0 in [0, 1]">(%a)[%b]
  return %r#0, %r#1 : index, index
}

// -----

// CHECK: #[[MAP:.*]] = #xla_gpu.indexing_map<"(d0, d1) -> (d1 floordiv 4 + d0), domain: d0 in [0, 31], d1 in [0, 31]">
// CHECK: func.func @nested_results(
// CHECK-NEXT:    %[[R:.*]] = xla_gpu.apply_indexing #[[MAP]](%arg1, %arg0)
// CHECK-NEXT:    return %[[R]]
func.func @nested_results(%a: index, %b: index) -> index {
  // The second result of the inner map is the one that is read.
  %i:2 = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (d0 * 3, d0 floordiv 4), domain: d0 in [0, 31]">(%a)
  %r = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0, d1) -> (d0 + d1), domain: d0 in [0, 7], d1 in [0, 31]">(%i#1, %b)
  return %r : index
}

// -----

// An inner map that others read is folded only if the outer one gets simpler by that.
// CHECK-DAG: #[[TIMES3:.*]] = #xla_gpu.indexing_map<"(d0) -> (d0 * 3), domain: d0 in [0, 31]">
// CHECK-DAG: #[[MOD7:.*]] = #xla_gpu.indexing_map<"(d0) -> (d0 mod 7), domain: d0 in [0, 93]">
// CHECK: func.func @inner_is_used_twice(
// CHECK-NEXT:    %[[I:.*]] = xla_gpu.apply_indexing #[[TIMES3]](%arg0)
// CHECK-NEXT:    %[[R:.*]] = xla_gpu.apply_indexing #[[MOD7]](%[[I]])
// CHECK-NEXT:    return %[[I]], %[[R]]
func.func @inner_is_used_twice(%a: index) -> (index, index) {
  %i = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (d0 * 3), domain: d0 in [0, 31]">(%a)
  %r = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (d0 mod 7), domain: d0 in [0, 93]">(%i)
  return %i, %r : index, index
}

// -----

// CHECK: func.func @inner_is_used_twice_but_simplifies(
// CHECK-NEXT:    %[[I:.*]] = xla_gpu.apply_indexing #{{.*}}(%arg0, %arg1)
// CHECK-NEXT:    return %[[I]], %arg0
func.func @inner_is_used_twice_but_simplifies(%a: index, %b: index) -> (index, index) {
  %i = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 7], d1 in [0, 3]">(%a, %b)
  %r = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (d0 floordiv 4), domain: d0 in [0, 31]">(%i)
  return %i, %r : index, index
}

// -----

#loop = #xla_gpu.indexing_map<"(d0)[s0] -> (d0 + s0), domain: d0 in [0, 12], s0 in [0, 1], d0 mod 8 in [0, 0]">
// The constraint of the loop is kept, for the new dimension.
// CHECK: #[[MAP:.*]] = #xla_gpu.indexing_map<"(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 3], s0 in [0, 1], (d0 * 4) mod 8 in [0, 0]">
// CHECK: func.func @apply_into_loop(
// CHECK-NEXT:    xla_gpu.loop (%arg0)[%i] -> (%ra) in #[[MAP]] iter_args(%iter = %arg1) -> (f32) {
// CHECK:         } {note = "kept"}
func.func @apply_into_loop(%a: index, %x: f32) -> f32 {
  %d = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (d0 * 4), domain: d0 in [0, 3]">(%a)
  %r = xla_gpu.loop (%d)[%i] -> (%e) in #loop iter_args(%p = %x) -> (f32) {
    xla_gpu.yield %p : f32
  } {note = "kept"}
  return %r : f32
}

// -----

#loop = #xla_gpu.indexing_map<"(d0)[s0] -> (d0 + s0), domain: d0 in [0, 9], s0 in [0, 1]">
// The loop skipped 12 = 4 * 3, and still does.
// CHECK: #[[MAP:.*]] = #xla_gpu.indexing_map<"(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 3], s0 in [0, 1], d0 * 4 in [0, 9]">
// CHECK: func.func @apply_beyond_the_bounds_of_the_loop(
// CHECK-NEXT:    xla_gpu.loop (%arg0)[%i] -> (%ra) in #[[MAP]]
func.func @apply_beyond_the_bounds_of_the_loop(%a: index, %x: f32) -> f32 {
  %d = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (d0 * 4), domain: d0 in [0, 3]">(%a)
  %r = xla_gpu.loop (%d)[%i] -> (%e) in #loop iter_args(%p = %x) -> (f32) {
    xla_gpu.yield %p : f32
  }
  return %r : f32
}

// -----

#loop = #xla_gpu.indexing_map<"(d0)[s0] -> (d0 mod 2 + s0), domain: d0 in [0, 12], s0 in [0, 1]">
// The loop runs for 0 only: the dimension stays, though nothing but its bounds says so.
// CHECK: #[[MAP:.*]] = #xla_gpu.indexing_map<"(d0)[s0] -> (s0), domain: d0 in [0, 0], s0 in [0, 1]">
// CHECK: func.func @apply_beyond_the_bounds_but_for_one_value(
// CHECK:         xla_gpu.loop (%arg0)[%i] -> (%ra) in #[[MAP]]
func.func @apply_beyond_the_bounds_but_for_one_value(%a: index, %x: f32) -> (f32, index) {
  %d = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (d0 + 12), domain: d0 in [0, 1]">(%a)
  %r = xla_gpu.loop (%d)[%i] -> (%e) in #loop iter_args(%p = %x) -> (f32) {
    xla_gpu.yield %p : f32
  }
  return %r, %d : f32, index
}

// -----

#loop = #xla_gpu.indexing_map<"(th_x, d1, d2)[s0] -> (th_x + d1 + d2 + s0), domain: th_x in [0, 7], d1 in [0, 3], d2 in [0, 3], s0 in [0, 1], th_x + d1 in [0, 5]">
// CHECK: #[[MAP:.*]] = #xla_gpu.indexing_map<"(th_x, d1)[s0] -> (th_x + d1 + s0 + 2), domain: th_x in [0, 7], d1 in [0, 3], s0 in [0, 1], th_x + 2 in [0, 5]">
// CHECK: func.func @constant_dimensions(
// CHECK:         %[[C9:.*]] = arith.constant 9 : index
// CHECK:         %[[TH:.*]] = gpu.thread_id x
// CHECK:         xla_gpu.loop (%[[TH]], %[[C9]])[%i] -> (%ra) in #[[MAP]]
func.func @constant_dimensions(%x: f32) -> f32 {
  %c9 = arith.constant 9 : index // Outside of the bounds: the loop does nothing, and must go on to do so.
  %th = gpu.thread_id x {xla.range = [0 : index, 7 : index]}
  %one = gpu.block_id x {xla.range = [2 : index, 2 : index]}
  %r = xla_gpu.loop (%th, %one, %c9)[%i] -> (%e) in #loop iter_args(%p = %x) -> (f32) {
    xla_gpu.yield %p : f32
  }
  return %r : f32
}

// -----

// CHECK: func.func @unchanged_value(
// CHECK-NEXT:    return %arg0
func.func @unchanged_value(%t: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %r = xla_gpu.atomic_rmw %t[%i] : tensor<4xf32> {
  ^bb0(%current: f32):
    xla_gpu.yield %current : f32
  }
  return %r : tensor<4xf32>
}

// -----

// CHECK: func.func @changed_value(
// CHECK:         xla_gpu.atomic_rmw
// CHECK:           arith.negf
func.func @changed_value(%t: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %r = xla_gpu.atomic_rmw %t[%i] : tensor<4xf32> {
  ^bb0(%current: f32):
    %n = arith.negf %current : f32
    xla_gpu.yield %n : f32
  }
  return %r : tensor<4xf32>
}

// -----

// Barriers and allocations are never removed or merged; calls without side effects are removed.
// CHECK: func.func @effects(
// CHECK-NEXT:    %{{.*}} = xla_gpu.allocate_shared : tensor<4xf32>
// CHECK-NEXT:    %{{.*}} = xla_gpu.allocate_shared : tensor<4xf32>
// CHECK-NEXT:    %{{.*}} = xla_gpu.sync_threads
// CHECK-NEXT:    return
func.func @effects(%x: f32) {
  %a = xla_gpu.allocate_shared : tensor<4xf32>
  %b = xla_gpu.allocate_shared : tensor<4xf32>
  %s = xla_gpu.sync_threads %a : tensor<4xf32>
  %c = xla_gpu.pure_call @f(%x) : (f32) -> f32
  return
}
func.func private @f(f32) -> f32

// -----

#a = #xla_gpu.indexing_map<"(d0, d1) -> (d0 mod 3 + d0 mod 5 + d0 mod 7 + d0 mod 9 + d0 mod 11 + d1 mod 3 + d1 mod 5 + d1 mod 7 + d1 mod 9 + d1 mod 11), domain: d0 in [0, 99], d1 in [0, 99]">
// Folding would write the inner map ten times.
// CHECK: func.func @long_maps_stay_apart(
// CHECK-COUNT-2: xla_gpu.apply_indexing
// CHECK: return
func.func @long_maps_stay_apart(%a: index, %b: index) -> index {
  %0 = xla_gpu.apply_indexing #a(%a, %b)
  %1 = xla_gpu.apply_indexing #a(%0, %b)
  return %1 : index
}
