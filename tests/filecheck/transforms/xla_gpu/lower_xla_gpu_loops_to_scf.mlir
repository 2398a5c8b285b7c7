// RUN: xshardy-opt %s -p xla-gpu-lower-xla-gpu-loops-to-scf | filecheck %s

// The GELU example of the documentation: from the inlined module to the loop with its bounds check.

// CHECK-DAG: #[[DIM0:.*]] = #xla_gpu.indexing_map<"(th_x, bl_x)[vector_index] -> (bl_x floordiv 4096), domain: th_x in [0, 127], bl_x in [0, 24575], vector_index in [0, 3]">
// CHECK-DAG: #[[DIM1:.*]] = #xla_gpu.indexing_map<"(th_x, bl_x)[vector_index] -> ((bl_x floordiv 8) mod 512), domain: th_x in [0, 127], bl_x in [0, 24575], vector_index in [0, 3]">
// CHECK-DAG: #[[DIM2:.*]] = #xla_gpu.indexing_map<"(th_x, bl_x)[vector_index] -> ((bl_x mod 8) * 512 + th_x * 4 + vector_index), domain: th_x in [0, 127], bl_x in [0, 24575], vector_index in [0, 3]">

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[IN:.*]]: tensor<6x512x4096xbf16>, %[[OUT:.*]]: tensor<6x512x4096xbf16>)
// CHECK:         %[[CST:.*]] = arith.constant 4.467770e-02 : bf16
// CHECK-NEXT:    %[[CST0:.*]] = arith.constant 7.968750e-01 : bf16
// CHECK-NEXT:    %[[CST1:.*]] = arith.constant 1.000000e+00 : bf16
// CHECK-NEXT:    %[[CST2:.*]] = arith.constant 5.000000e-01 : bf16
// CHECK-NEXT:    %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %[[C4:.*]] = arith.constant 4 : index
// CHECK-NEXT:    %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT:    %[[C127:.*]] = arith.constant 127 : index
// CHECK-NEXT:    %[[C24575:.*]] = arith.constant 24575 : index
// CHECK-NEXT:    %[[TH:.*]] = gpu.thread_id x {xla.range = [0 : index, 127 : index]}
// CHECK-NEXT:    %[[BL:.*]] = gpu.block_id x {xla.range = [0 : index, 24575 : index]}
// CHECK-NEXT:    %[[LOOP:.*]] = scf.for %[[I:.*]] = %[[C0]] to %[[C4]] step %[[C1]] iter_args(%[[ITER:.*]] = %[[OUT]]) -> (tensor<6x512x4096xbf16>) {
// CHECK-NEXT:      %[[TH_GE:.*]] = arith.cmpi sge, %[[TH]], %[[C0]] : index
// CHECK-NEXT:      %[[TH_LE:.*]] = arith.cmpi sle, %[[TH]], %[[C127]] : index
// CHECK-NEXT:      %[[TH_IN:.*]] = arith.andi %[[TH_GE]], %[[TH_LE]] : i1
// CHECK-NEXT:      %[[BL_GE:.*]] = arith.cmpi sge, %[[BL]], %[[C0]] : index
// CHECK-NEXT:      %[[BL_LE:.*]] = arith.cmpi sle, %[[BL]], %[[C24575]] : index
// CHECK-NEXT:      %[[BL_IN:.*]] = arith.andi %[[BL_GE]], %[[BL_LE]] : i1
// CHECK-NEXT:      %[[INBOUNDS:.*]] = arith.andi %[[TH_IN]], %[[BL_IN]] : i1
// CHECK-NEXT:      %[[IF:.*]] = scf.if %[[INBOUNDS]] -> (tensor<6x512x4096xbf16>) {
// CHECK-NEXT:        %[[X:.*]] = xla_gpu.apply_indexing #[[DIM0]](%[[TH]], %[[BL]])[%[[I]]]
// CHECK-NEXT:        %[[Y:.*]] = xla_gpu.apply_indexing #[[DIM1]](%[[TH]], %[[BL]])[%[[I]]]
// CHECK-NEXT:        %[[Z:.*]] = xla_gpu.apply_indexing #[[DIM2]](%[[TH]], %[[BL]])[%[[I]]]
// CHECK-NEXT:        %[[E:.*]] = tensor.extract %[[IN]][%[[X]], %[[Y]], %[[Z]]] : tensor<6x512x4096xbf16>
// CHECK-NEXT:        %[[V1:.*]] = arith.mulf %[[E]], %[[E]] : bf16
// CHECK-NEXT:        %[[V2:.*]] = arith.mulf %[[V1]], %[[E]] : bf16
// CHECK-NEXT:        %[[V3:.*]] = arith.mulf %[[V2]], %[[CST]] : bf16
// CHECK-NEXT:        %[[V4:.*]] = arith.addf %[[E]], %[[V3]] : bf16
// CHECK-NEXT:        %[[V5:.*]] = arith.mulf %[[V4]], %[[CST0]] : bf16
// CHECK-NEXT:        %[[V6:.*]] = math.tanh %[[V5]] : bf16
// CHECK-NEXT:        %[[V7:.*]] = arith.addf %[[V6]], %[[CST1]] : bf16
// CHECK-NEXT:        %[[V8:.*]] = arith.mulf %[[V7]], %[[CST2]] : bf16
// CHECK-NEXT:        %[[V9:.*]] = arith.mulf %[[E]], %[[V8]] : bf16
// CHECK-NEXT:        %[[INSERTED:.*]] = tensor.insert %[[V9]] into %[[ITER]][%[[X]], %[[Y]], %[[Z]]] : tensor<6x512x4096xbf16>
// CHECK-NEXT:        scf.yield %[[INSERTED]] : tensor<6x512x4096xbf16>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[ITER]] : tensor<6x512x4096xbf16>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[IF]] : tensor<6x512x4096xbf16>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[LOOP]] : tensor<6x512x4096xbf16>
#gelu = #xla_gpu.indexing_map<"(th_x, bl_x)[vector_index] -> ("
  "bl_x floordiv 4096, (bl_x floordiv 8) mod 512, (bl_x mod 8) * 512 + th_x * 4 + vector_index),"
  "domain: th_x in [0, 127], bl_x in [0, 24575], vector_index in [0, 3]">
func.func @main(%input: tensor<6x512x4096xbf16>, %output: tensor<6x512x4096xbf16>) -> tensor<6x512x4096xbf16> {
  %cst = arith.constant 4.467770e-02 : bf16
  %cst_0 = arith.constant 7.968750e-01 : bf16
  %cst_1 = arith.constant 1.000000e+00 : bf16
  %cst_2 = arith.constant 5.000000e-01 : bf16
  %thread_id_x = gpu.thread_id x {xla.range = [0 : index, 127 : index]}
  %block_id_x = gpu.block_id x {xla.range = [0 : index, 24575 : index]}
  %xla_loop = xla_gpu.loop (%thread_id_x, %block_id_x)[%vector_index] -> (%dim0, %dim1, %dim2)
      in #gelu iter_args(%iter = %output) -> (tensor<6x512x4096xbf16>) {
    %extracted = tensor.extract %input[%dim0, %dim1, %dim2] : tensor<6x512x4096xbf16>
    %0 = arith.mulf %extracted, %extracted : bf16
    %1 = arith.mulf %0, %extracted : bf16
    %2 = arith.mulf %1, %cst : bf16
    %3 = arith.addf %extracted, %2 : bf16
    %4 = arith.mulf %3, %cst_0 : bf16
    %5 = math.tanh %4 : bf16
    %6 = arith.addf %5, %cst_1 : bf16
    %7 = arith.mulf %6, %cst_2 : bf16
    %8 = arith.mulf %extracted, %7 : bf16
    %inserted = tensor.insert %8 into %iter[%dim0, %dim1, %dim2] : tensor<6x512x4096xbf16>
    xla_gpu.yield %inserted : tensor<6x512x4096xbf16>
  }
  return %xla_loop : tensor<6x512x4096xbf16>
}

// Constraints are tested before dimensions; a bound of one value is an equality; the innermost loop is the last symbol.
// CHECK-LABEL: func.func @constraints_then_dimensions(
// CHECK-SAME:    %[[D:.*]]: index, %[[INIT:.*]]: i4)
// CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[C10:.*]] = arith.constant 10 : index
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A:.*]] = %[[INIT]]) -> (i4) {
// CHECK-NEXT:      scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[B:.*]] = %[[A]]) -> (i4) {
// CHECK-NEXT:        %[[SUM:.*]] = xla_gpu.apply_indexing #{{.*}}(%[[D]])[%[[I]], %[[J]]]
// CHECK-NEXT:        %[[SUM_IN:.*]] = arith.cmpi eq, %[[SUM]], %[[C10]] : index
// CHECK-NEXT:        %[[D_IN:.*]] = arith.cmpi eq, %[[D]], %[[C3]] : index
// CHECK-NEXT:        %[[IN:.*]] = arith.andi %[[SUM_IN]], %[[D_IN]] : i1
// CHECK-NEXT:        scf.if %[[IN]] -> (i4) {
// CHECK-NEXT:          xla_gpu.apply_indexing
// CHECK-NEXT:          %[[X:.*]] = arith.addi %[[B]], %[[B]] : i4
// CHECK-NEXT:          scf.yield %[[X]] : i4
// CHECK-NEXT:        } else {
// CHECK-NEXT:          scf.yield %[[B]] : i4
func.func @constraints_then_dimensions(%d: index, %init: i4) -> i4 {
  %r = xla_gpu.loop (%d)[%i, %j] -> (%m)
      in #xla_gpu.indexing_map<"(d)[i, j] -> (i + j), domain: d in [3, 3], i in [1, 5], j in [2, 7], i + j in [10, 10]">
      iter_args(%x = %init) -> (i4) {
    %y = arith.addi %x, %x : i4
    xla_gpu.yield %y : i4
  }
  return %r : i4
}

// A range variable that starts elsewhere starts the loop there.
// CHECK-LABEL: func.func @bounds_of_the_range_variable(
// CHECK-DAG:     %[[LOWER:.*]] = arith.constant -2 : index
// CHECK-DAG:     %[[UPPER:.*]] = arith.constant 6 : index
// CHECK:         scf.for %{{.*}} = %[[LOWER]] to %[[UPPER]]
func.func @bounds_of_the_range_variable(%init: index) -> index {
  %r = xla_gpu.loop ()[%i] -> (%m) in #xla_gpu.indexing_map<"()[i] -> (i * 2), domain: i in [-2, 5]">
      iter_args(%x = %init) -> (index) {
    %y = arith.addi %x, %m : index
    xla_gpu.yield %y : index
  }
  return %r : index
}

// Nothing is tested where there is nothing to test. Variables and constants among the results are no operations, several
// values are carried, and attributes stay.
// CHECK-LABEL: func.func @no_dimensions(
// CHECK-SAME:    %[[T:.*]]: tensor<8x8xcomplex<f32>>, %[[INIT:.*]]: complex<f32>, %[[N:.*]]: index)
// CHECK-DAG:     %[[C5:.*]] = arith.constant 5 : index
// CHECK:         %[[R:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[SUM:.*]] = %[[INIT]], %[[COUNT:.*]] = %[[N]]) -> (complex<f32>, index) {
// CHECK-NEXT:      %[[E:.*]] = tensor.extract %[[T]][%[[I]], %[[C5]]] : tensor<8x8xcomplex<f32>>
// CHECK-NEXT:      %[[NEXT:.*]] = complex.add %[[SUM]], %[[E]] : complex<f32>
// CHECK-NEXT:      %[[NEXT_COUNT:.*]] = arith.addi %[[COUNT]], %[[I]] : index
// CHECK-NEXT:      scf.yield %[[NEXT]], %[[NEXT_COUNT]] : complex<f32>, index
// CHECK-NEXT:    } {xla.range = [0 : index, 42 : index]}
// CHECK-NEXT:    return %[[R]]#0, %[[R]]#1
func.func @no_dimensions(%t: tensor<8x8xcomplex<f32>>, %init: complex<f32>, %n: index) -> (complex<f32>, index) {
  %r:2 = xla_gpu.loop ()[%i] -> (%row, %column) in #xla_gpu.indexing_map<"()[s0] -> (s0, 5), domain: s0 in [0, 7]">
      iter_args(%sum = %init, %count = %n) -> (complex<f32>, index) {
    %e = tensor.extract %t[%row, %column] : tensor<8x8xcomplex<f32>>
    %next = complex.add %sum, %e : complex<f32>
    %next_count = arith.addi %count, %i : index
    xla_gpu.yield %next, %next_count : complex<f32>, index
  } {xla.range = [0 : index, 42 : index]}
  return %r#0, %r#1 : complex<f32>, index
}

// With no range variable there is no loop.
// CHECK-LABEL: func.func @no_symbols(
// CHECK-SAME:    %[[D:.*]]: index, %[[INIT:.*]]: f32)
// CHECK-NOT:     scf.for
// CHECK:         %[[R:.*]] = scf.if %{{.*}} -> (f32) {
// CHECK-NEXT:      %[[X:.*]] = arith.negf %[[INIT]] : f32
// CHECK-NEXT:      scf.yield %[[X]] : f32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[INIT]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]] : f32
func.func @no_symbols(%d: index, %init: f32) -> f32 {
  %r = xla_gpu.loop (%d)[] -> (%m) in #xla_gpu.indexing_map<"(d0) -> (d0), domain: d0 in [0, 7]">
      iter_args(%x = %init) -> (f32) {
    %y = arith.negf %x : f32
    xla_gpu.yield %y : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @nothing_to_loop_over_or_test(
// CHECK-SAME:    %[[INIT:.*]]: index)
// CHECK-NEXT:    %[[C7:.*]] = arith.constant 7 : index
// CHECK-NEXT:    %[[X:.*]] = arith.addi %[[INIT]], %[[C7]] : index
// CHECK-NEXT:    return %[[X]] : index
func.func @nothing_to_loop_over_or_test(%init: index) -> index {
  %r = xla_gpu.loop ()[] -> (%m) in #xla_gpu.indexing_map<"() -> (7)"> iter_args(%x = %init) -> (index) {
    %y = arith.addi %x, %m : index
    xla_gpu.yield %y : index
  }
  return %r : index
}

// CHECK-LABEL: func.func @empty_domain(
// CHECK-SAME:    %[[D:.*]]: index, %[[INIT:.*]]: f32)
// CHECK-NEXT:    return %[[INIT]] : f32
func.func @empty_domain(%d: index, %init: f32) -> f32 {
  %r = xla_gpu.loop (%d)[%i] -> (%m) in #xla_gpu.indexing_map<"(d0)[s0] -> (d0), domain: d0 in [0, 7], s0 in [0, 0], 0 in [1, 1]">
      iter_args(%x = %init) -> (f32) {
    %y = arith.negf %x : f32
    xla_gpu.yield %y : f32
  }
  return %r : f32
}

// An inner loop sees what the outer one computes, and a value from above may be yielded.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME:    %[[INIT:.*]]: index)
// CHECK-NOT:     xla_gpu.loop
// CHECK:         scf.for %[[I:.*]] = {{.*}} iter_args(%[[A:.*]] = %[[INIT]]) -> (index) {
// CHECK-NEXT:      %[[TWICE:.*]] = xla_gpu.apply_indexing #{{.*}}[%[[I]]]
// CHECK-NEXT:      %[[INNER:.*]] = scf.for %[[J:.*]] = {{.*}} iter_args(%[[B:.*]] = %[[TWICE]]) -> (index) {
// CHECK-NEXT:        scf.yield %[[INIT]] : index
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[INNER]] : index
func.func @nested(%init: index) -> index {
  %r = xla_gpu.loop ()[%i] -> (%m) in #xla_gpu.indexing_map<"()[i] -> (i * 2), domain: i in [0, 2]">
      iter_args(%x = %init) -> (index) {
    %s = xla_gpu.loop ()[%j] -> (%n) in #xla_gpu.indexing_map<"()[j] -> (j), domain: j in [0, 6]">
        iter_args(%y = %m) -> (index) {
      xla_gpu.yield %init : index
    }
    xla_gpu.yield %s : index
  }
  return %r : index
}

// The bounds of the first dimension follow from the constraint on a warp of it; those of the second do not.
// CHECK-LABEL: func.func @implied_bounds(
// CHECK-DAG:     %[[C127:.*]] = arith.constant 127 : index
// CHECK-DAG:     %[[C7:.*]] = arith.constant 7 : index
// CHECK:         arith.cmpi sle, %thread_id_x, %[[C127]] : index
// CHECK:         arith.cmpi sle, %block_id_x, %[[C7]] : index
func.func @implied_bounds(%init: index) -> index {
  %th = gpu.thread_id x {xla.range = [0 : index, 127 : index]}
  %bl = gpu.block_id x {xla.range = [0 : index, 9 : index]}
  %r = xla_gpu.loop (%th, %bl)[%i] -> (%m) in #xla_gpu.indexing_map<"(th_x, bl_x)[i] -> (th_x + bl_x), domain: th_x in [0, 115], bl_x in [0, 7], i in [0, 1], th_x mod 32 in [0, 19]">
      iter_args(%x = %init) -> (index) {
    %y = arith.addi %x, %m : index
    xla_gpu.yield %y : index
  }
  return %r : index
}
