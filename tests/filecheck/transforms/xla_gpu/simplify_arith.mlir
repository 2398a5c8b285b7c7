// RUN: xshardy-opt %s -p xla-gpu-simplify-arith | filecheck %s

// A map knows the bounds of the loop variables that it is applied to.
// CHECK: #[[MAP:.*]] = #xla_gpu.indexing_map<"(d0) -> (d0 * 2), domain: d0 in [0, 2]">
// CHECK-LABEL: func.func @loop_variable
// CHECK:         xla_gpu.apply_indexing #[[MAP]](%{{.*}})
func.func @loop_variable() -> index {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %3 = arith.constant 3 : index
  %sum = scf.for %i = %0 to %3 step %1 iter_args(%carried = %0) -> index {
    %at = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> ((d0 mod 4) * 2), domain: d0 in [0, 100]">(%i)
    %next = arith.addi %carried, %at : index
    scf.yield %next : index
  }
  return %sum : index
}

// Comparisons of ranges that do not overlap are constants; those of ranges that do stay.
// CHECK-LABEL: func.func @comparisons
// CHECK-DAG:     %true = arith.constant true
// CHECK-DAG:     %false = arith.constant false
// CHECK-DAG:     %[[OPEN:.*]] = arith.cmpi slt, %arg0, %arg1 : index
// CHECK:         return %true, %false, %true, %[[OPEN]] : i1, i1, i1, i1
func.func @comparisons(%x: index {xla.range = [0 : index, 9 : index]}, %y: index {xla.range = [5 : index, 20 : index]})
    -> (i1, i1, i1, i1) {
  %10 = arith.constant 10 : index
  %21 = arith.constant 21 : index
  %a = arith.cmpi slt, %x, %10 : index
  %b = arith.cmpi sge, %y, %21 : index
  %c = arith.cmpi ult, %y, %21 : index
  %d = arith.cmpi slt, %x, %y : index
  return %a, %b, %c, %d : i1, i1, i1, i1
}

// CHECK-LABEL: func.func @unsigned_from_zero
// CHECK:         %[[TRUE:.*]] = arith.constant true
// CHECK:         return %[[TRUE]] : i1
func.func @unsigned_from_zero(%x: index {xla.range = [0 : index, 9 : index]}) -> i1 {
  %10 = arith.constant 10 : index
  %0 = arith.cmpi ult, %x, %10 : index
  return %0 : i1
}

// Truncations from integers of different widths do not become one.
// CHECK-LABEL: func.func @two_widths
// CHECK-DAG:     arith.trunci %arg0 : i32 to i8
// CHECK-DAG:     arith.trunci %arg1 : i64 to i8
// CHECK:         arith.ori %{{.*}} : i8
func.func @two_widths(%x: i32, %y: i64) -> i8 {
  %0 = arith.trunci %x : i32 to i8
  %1 = arith.trunci %y : i64 to i8
  %2 = arith.ori %0, %1 : i8
  return %2 : i8
}

// As unsigned, a negative number is a large one.
// CHECK-LABEL: func.func @unsigned
// CHECK:         arith.cmpi ult
func.func @unsigned(%x: index {xla.range = [-1 : index, 9 : index]}) -> i1 {
  %10 = arith.constant 10 : index
  %0 = arith.cmpi ult, %x, %10 : index
  return %0 : i1
}

// CHECK-LABEL: func.func @extrema
// CHECK-NEXT:    return %arg1, %arg0 : index, index
func.func @extrema(%x: index {xla.range = [0 : index, 9 : index]}, %y: index {xla.range = [9 : index, 20 : index]})
    -> (index, index) {
  %a = arith.maxsi %x, %y : index
  %b = arith.minsi %y, %x : index
  return %a, %b : index, index
}

// CHECK-LABEL: func.func @small
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    return %arg0, %c0, %arg0, %c0 : index, index, index, index
func.func @small(%x: index {xla.range = [0 : index, 7 : index]}) -> (index, index, index, index) {
  %3 = arith.constant 3 : index
  %7 = arith.constant 7 : index
  %8 = arith.constant 8 : index
  %a = arith.remui %x, %8 : index
  %b = arith.divsi %x, %8 : index
  %c = arith.andi %x, %7 : index
  %d = arith.shrui %x, %3 : index
  return %a, %b, %c, %d : index, index, index, index
}

// CHECK-LABEL: func.func @not_small
// CHECK:         arith.remui
// CHECK:         arith.divsi
// CHECK:         arith.andi
// CHECK:         arith.shrui
func.func @not_small(%x: index {xla.range = [0 : index, 8 : index]}) -> (index, index, index, index) {
  %3 = arith.constant 3 : index
  %7 = arith.constant 7 : index
  %8 = arith.constant 8 : index
  %a = arith.remui %x, %8 : index
  %b = arith.divsi %x, %8 : index
  %c = arith.andi %x, %7 : index
  %d = arith.shrui %x, %3 : index
  return %a, %b, %c, %d : index, index, index, index
}

// Ranges go from operands to results, unless the result may wrap around.
// CHECK-LABEL: func.func @ranges
// CHECK:         arith.addi %arg0, %arg1 {xla.range = [3 : index, 29 : index]} : index
// CHECK-NEXT:    arith.muli %arg0, %arg1 {xla.range = [-20 : index, 180 : index]} : index
// CHECK-NEXT:    arith.minsi %arg0, %arg2 {xla.range = [-9223372036854775808 : index, 9 : index]} : index
// CHECK-NEXT:    arith.index_cast %arg3 {xla.range = [0 : index, 3 : index]} : i32 to index
// CHECK-NEXT:    arith.addi %arg3, %{{.*}} : i32
// CHECK-NEXT:    arith.addi %arg2, %arg2 : index
func.func @ranges(
    %x: index {xla.range = [-1 : index, 9 : index]}, %y: index {xla.range = [4 : index, 20 : index]}, %z: index,
    %n: i32 {xla.range = [0 : i32, 3 : i32]}) -> (index, index, index, index, i32, index) {
  %most = arith.constant 2147483647 : i32
  %a = arith.addi %x, %y : index
  %b = arith.muli %x, %y : index
  %c = arith.minsi %x, %z : index
  %d = arith.index_cast %n : i32 to index
  %e = arith.addi %n, %most : i32
  %f = arith.addi %z, %z : index
  return %a, %b, %c, %d, %e, %f : index, index, index, index, i32, index
}

// CHECK-LABEL: func.func @absolute_value
// CHECK:         arith.select %{{.*}}, %arg0, %{{.*}} {xla.range = [0 : index, 2147483647 : index]} : i32
// CHECK:         arith.select %{{.*}}, %arg1, %{{.*}} {xla.range = [0 : index, 31 : index]} : i32
func.func @absolute_value(%x: i32, %y: i32 {xla.range = [-31 : i32, 17 : i32]}) -> (i32, i32) {
  %0 = arith.constant 0 : i32
  %a = arith.cmpi sge, %x, %0 : i32
  %b = arith.subi %0, %x : i32
  %c = arith.select %a, %x, %b : i32
  %d = arith.cmpi sge, %y, %0 : i32
  %e = arith.subi %0, %y : i32
  %f = arith.select %d, %y, %e : i32
  return %c, %f : i32, i32
}

// The branch that is never taken goes.
// CHECK-LABEL: func.func @branch
// CHECK-NEXT:    "test.op"() {taken} : () -> ()
// CHECK-NEXT:    return
func.func @branch(%x: index {xla.range = [0 : index, 9 : index]}) {
  %10 = arith.constant 10 : index
  %0 = arith.cmpi slt, %x, %10 : index
  scf.if %0 {
    "test.op"() {taken} : () -> ()
  } else {
    "test.op"() {never} : () -> ()
  }
  return
}

// A reduction of booleans works on the integers that are shuffled: the casts between the steps go.
// CHECK-LABEL: func.func @booleans
// CHECK:         %[[X:.*]] = arith.extui %arg0 : i1 to i32
// CHECK:         %[[S0:.*]], %{{.*}} = gpu.shuffle down %[[X]],
// CHECK:         %[[O0:.*]] = arith.ori %{{.*}}, %[[S0]] : i32
// CHECK:         %[[S1:.*]], %{{.*}} = gpu.shuffle down %[[O0]],
// CHECK:         %[[O1:.*]] = arith.ori %[[O0]], %[[S1]] : i32
// CHECK:         %[[R:.*]] = arith.trunci %[[O1]] : i32 to i1
// CHECK:         return %[[R]] : i1
func.func @booleans(%x: i1) -> i1 {
  %1 = arith.constant 1 : i32
  %2 = arith.constant 2 : i32
  %32 = arith.constant 32 : i32
  %a = arith.extui %x : i1 to i32
  %b, %valid = gpu.shuffle down %a, %2, %32 : i32
  %c = arith.trunci %b : i32 to i1
  %d = arith.ori %x, %c : i1
  %e = arith.extui %d : i1 to i32
  %f, %valid_again = gpu.shuffle down %e, %1, %32 : i32
  %g = arith.trunci %f : i32 to i1
  %h = arith.ori %d, %g : i1
  return %h : i1
}

// In a loop, the constraints of its map hold: the row is at most 4, not 19.
// CHECK-LABEL: func.func @constrained_loop
// CHECK:         arith.addi %{{.*}}, %{{.*}} {xla.range = [1 : index, 5 : index]} : index
func.func @constrained_loop(%thread: index, %init: index) -> index {
  %one = arith.constant 1 : index
  %0 = xla_gpu.loop (%thread)[%i] -> (%row) in #xla_gpu.indexing_map<"(d0)[s0] -> ((d0 * 4 + s0) floordiv 6), domain: d0 in [0, 29], s0 in [0, 3], d0 * 4 + s0 in [0, 29]"> iter_args(%iter = %init) -> (index) {
    %next = arith.addi %row, %one : index
    xla_gpu.yield %next : index
  }
  return %0 : index
}

// Without the option, NaN is kept.
// CHECK-LABEL: func.func @float_extrema
// CHECK-NEXT:    arith.maximumf
func.func @float_extrema(%x: f32, %y: f32) -> f32 {
  %0 = arith.maximumf %x, %y : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @arc_tangent_over_one
// CHECK-NEXT:    arith.constant -1.000000e+00 : f32
// CHECK-NEXT:    math.atan %arg0 : f32
// CHECK-NEXT:    math.atan2
// CHECK-NEXT:    math.atan %arg1 fastmath<fast> : vector<2xf64>
func.func @arc_tangent_over_one(%x: f32, %y: vector<2xf64>) -> (f32, f32, vector<2xf64>) {
  %one = arith.constant 1.0 : f32
  %minus_one = arith.constant -1.0 : f32
  %ones = arith.constant dense<1.0> : vector<2xf64>
  %0 = math.atan2 %x, %one : f32
  %1 = math.atan2 %x, %minus_one : f32
  %2 = math.atan2 %y, %ones fastmath<fast> : vector<2xf64>
  return %0, %1, %2 : f32, f32, vector<2xf64>
}

// A range holds for all elements.
// CHECK-LABEL: func.func @comparison_of_tensors
// CHECK-NEXT:    arith.constant dense<true> : tensor<4xi1>
func.func @comparison_of_tensors(%x: tensor<4xindex> {xla.range = [1 : index, 4 : index]},
                                 %y: tensor<4xindex> {xla.range = [5 : index, 9 : index]}) -> tensor<4xi1> {
  %0 = arith.cmpi slt, %x, %y : tensor<4xindex>
  return %0 : tensor<4xi1>
}

// CHECK-LABEL: func.func @extremes_of_ranges_apart(
// CHECK-NEXT:    return %arg0, %arg0, %arg1 : i32, i32, i32
func.func @extremes_of_ranges_apart(%x: i32 {xla.range = [10 : i32, 20 : i32]}, %y: i32 {xla.range = [0 : i32, 5 : i32]})
    -> (i32, i32, i32) {
  %a = arith.maxsi %x, %y : i32
  %b = arith.maxsi %y, %x : i32
  %c = arith.minsi %y, %x : i32
  return %a, %b, %c : i32, i32, i32
}

// CHECK-LABEL: func.func @no_absolute_values(
// CHECK-NOT:     arith.select {{.*}}xla.range
// CHECK:         return
func.func @no_absolute_values(%x: i32 {xla.range = [-10 : i32, 20 : i32]}) -> (i32, i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %opposite = arith.subi %zero, %x : i32
  %is_positive = arith.cmpi sgt, %x, %zero : i32
  %a = arith.select %is_positive, %x, %opposite : i32
  %is_natural = arith.cmpi sge, %x, %zero : i32
  %rest = arith.subi %one, %x : i32
  %b = arith.select %is_natural, %x, %rest : i32
  return %a, %b : i32, i32
}
