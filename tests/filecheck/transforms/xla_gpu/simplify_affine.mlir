// RUN: xshardy-opt %s -p xla-gpu-simplify-affine --split-input-file | filecheck %s

// Sums are taken apart in the order of the loops that their operands come from: the function's values first, then those of
// the outer loop, then those of the inner one, the constant last.

// CHECK-LABEL: func.func @far_operands_first(
// CHECK-SAME:    %arg0: index)
// CHECK:       scf.for %arg1 =
// CHECK-NEXT:    scf.for %arg2 =
// CHECK-NEXT:      %[[FAR:.*]] = arith.muli %arg0, %c256 overflow<nsw> : index
// CHECK-NEXT:      %[[OUTER:.*]] = arith.muli %arg1, %c16 overflow<nsw> : index
// CHECK-NEXT:      %[[BOTH:.*]] = arith.addi %[[FAR]], %[[OUTER]] overflow<nsw> : index
// CHECK-NEXT:      %[[ALL:.*]] = arith.addi %[[BOTH]], %arg2 overflow<nsw> : index
// CHECK-NEXT:      %[[INDEX:.*]] = arith.addi %[[ALL]], %c7 overflow<nsw> : index
// CHECK-NEXT:      "test.op"(%[[INDEX]]) : (index) -> ()
func.func @far_operands_first(%far: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %outer = %c0 to %c16 step %c1 {
    scf.for %inner = %c0 to %c16 step %c1 {
      %index = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(inner, outer, far) -> (inner + outer * 16 + far * 256 + 7),"
        "domain: inner in [0, 15], outer in [0, 15], far in [0, 15]">(%inner, %outer, %far)
      "test.op"(%index) : (index) -> ()
    }
  }
  return
}

// -----

// Quotient and remainder of one division meet again, and nothing is divided.

// CHECK-LABEL: func.func @divisions_that_cancel(
// CHECK-NEXT:    %c3 = arith.constant 3 : index
// CHECK-NEXT:    %[[PRODUCT:.*]] = arith.muli %arg0, %c3 overflow<nsw> : index
// CHECK-NEXT:    return %[[PRODUCT]] : index
func.func @divisions_that_cancel(%i: index) -> index {
  %0 = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> ((d0 floordiv 5) * 15 + (d0 mod 5) * 3), domain: d0 in [0, 99]">(%i)
  return %0 : index
}

// -----

// CHECK-LABEL: func.func @unsigned_divisions(
// CHECK-DAG:     %[[QUOTIENT:.*]] = arith.divui %arg0, %c5 : index
// CHECK-DAG:     %[[REMAINDER:.*]] = arith.remui %arg0, %c5 : index
// CHECK:         return %[[QUOTIENT]], %[[REMAINDER]], %arg1, %c4 : index, index, index, index
func.func @unsigned_divisions(%i: index, %j: index) -> (index, index, index, index) {
  %0:4 = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0, d1) -> (d0 floordiv 5, d0 mod 5, d1 mod 8, (d1 + 32) floordiv 8),"
    "domain: d0 in [0, 99], d1 in [0, 7]">(%i, %j)
  return %0#0, %0#1, %0#2, %0#3 : index, index, index, index
}

// -----

// Products of variables multiply the farthest variables first.

// CHECK-LABEL: func.func @semi_affine(
// CHECK:       scf.for %arg1 =
// CHECK-NEXT:    %[[PRODUCT:.*]] = arith.muli %arg0, %arg1 overflow<nsw> : index
// CHECK-NEXT:    arith.muli %[[PRODUCT]], %c2 overflow<nsw> : index
func.func @semi_affine(%far: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %near = %c0 to %c16 step %c1 {
    %index = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(near)[far] -> (2 * near * far),"
      "domain: near in [0, 15], far in [0, 15]">(%near)[%far]
    "test.op"(%index) : (index) -> ()
  }
  return
}

// -----

// A dividend that may be negative stays an affine.apply, of the simplified expression; its neighbours do not.

// CHECK:       #[[MAP:.*]] = affine_map<(d0)[s0] -> {{.*}} floordiv 2){{.*}}>
// CHECK-LABEL: func.func @negative_dividend(
// CHECK:         %[[KEPT:.*]] = affine.apply #[[MAP]]{{ ?}}(%arg0)[%arg1]
// CHECK-NEXT:    %[[SUM:.*]] = arith.addi %arg0, %arg1 overflow<nsw> : index
// CHECK-NEXT:    return %[[KEPT]], %[[SUM]] : index, index
func.func @negative_dividend(%i: index, %j: index) -> (index, index) {
  %0:2 = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0)[s0] -> ((d0 - 1) floordiv 2 + s0 floordiv 4, d0 + s0),"
    "domain: d0 in [0, 9], s0 in [0, 3]">(%i)[%j]
  return %0#0, %0#1 : index, index
}

// -----

// The ranges of the operands of an affine.apply come from attributes, constants, and loops with constant bounds.

// CHECK-LABEL: func.func @affine_apply(
// CHECK:       scf.for %arg1 =
// CHECK-NEXT:    arith.divui %arg0, %c3 : index
// CHECK-NOT:     affine.apply
func.func @affine_apply(%i: index {xla.range = [0 : index, 42 : index]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %j = %c0 to %c4 step %c1 {
    %index = affine.apply affine_map<(d0)[s0] -> (d0 floordiv 3 + s0 floordiv 4)>(%i)[%j]
    "test.op"(%index) : (index) -> ()
  }
  return
}

// -----

// CHECK-LABEL: func.func @affine_apply_of_unknown_range(
// CHECK-NEXT:    affine.apply #{{map[0-9]*}}{{ ?}}(%arg0)
func.func @affine_apply_of_unknown_range(%i: index) -> index {
  %0 = affine.apply affine_map<(d0) -> (d0 floordiv 3)>(%i)
  return %0 : index
}

// -----

// CHECK-LABEL: func.func @affine_apply_of_negative_range(
// CHECK-NEXT:    affine.apply #{{map[0-9]*}}{{ ?}}(%arg0)
func.func @affine_apply_of_negative_range(%i: index {xla.range = [-5 : index, 42 : index]}) -> index {
  %0 = affine.apply affine_map<(d0) -> (d0 mod 3)>(%i)
  return %0 : index
}

// -----

// An index that nothing reads is not computed.

// CHECK-LABEL: func.func @unused(
// CHECK-NEXT:    return
func.func @unused(%x: index) {
  %0 = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (d0 * 2), domain: d0 in [0, 7]">(%x)
  return
}

// -----

// A negative divisor has no unsigned division.

// CHECK-LABEL: func.func @affine_apply_of_negative_divisor(
// CHECK-NEXT:    affine.apply #{{map[0-9]*}}{{ ?}}(%arg0)
func.func @affine_apply_of_negative_divisor(%i: index {xla.range = [0 : index, 42 : index]}) -> index {
  %0 = affine.apply affine_map<(d0) -> (d0 floordiv -3)>(%i)
  return %0 : index
}

// -----

// Extrema of what is never negative are unsigned ones.

// CHECK-LABEL: func.func @extrema(
// CHECK-SAME:    %[[X:.*]]: index)
// CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[C5:.*]] = arith.constant 5 : index
// CHECK-DAG:     arith.maxui %[[X]], %[[C3]] : index
// CHECK-DAG:     arith.minui %[[X]], %[[C5]] : index
func.func @extrema(%x: index) -> (index, index) {
  %0:2 = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (max(d0, 3), min(d0, 5)), domain: d0 in [0, 7]">(%x)
  return %0#0, %0#1 : index, index
}

// -----

// What may be negative is left for xla-gpu-lower-affine.

// CHECK-LABEL: func.func @extremum_of_negative(
// CHECK-NEXT:    xla_gpu.apply_indexing
func.func @extremum_of_negative(%x: index) -> index {
  %0 = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (max(d0, 3)), domain: d0 in [-1, 7]">(%x)
  return %0 : index
}
