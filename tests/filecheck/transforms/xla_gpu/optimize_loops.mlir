// RUN: xshardy-opt %s -p xla-gpu-optimize-loops | filecheck %s

// The GELU example of the documentation: the loop over the elements of the vector disappears. Rows XGPU-36 and XGPU-57.

// CHECK: #[[GELU:.*]] = #xla_gpu.indexing_map<"(th_x, bl_x, vector_index) -> (th_x * 4 + bl_x * 512 + vector_index), domain: th_x in [0, 127], bl_x in [0, 24575], vector_index in [0, 3]">

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[IN:.*]]: tensor<12582912xbf16>, %[[OUT:.*]]: tensor<12582912xbf16>)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<4xbf16>
// CHECK-NOT:     scf.for
// CHECK:         %[[READ:.*]] = vector.transfer_read %[[IN]][%[[DIM:.*]]], %{{.*}} {in_bounds = [true]} : tensor<12582912xbf16>, vector<4xbf16>
// CHECK-NEXT:    %[[E0:.*]] = vector.extract %[[READ]][%[[C0]]] : bf16 from vector<4xbf16>
// CHECK-NEXT:    %[[A1:.*]] = arith.mulf %[[E0]], %[[E0]] : bf16
// CHECK-NEXT:    %[[A2:.*]] = arith.mulf %[[A1]], %[[E0]] : bf16
// CHECK-NEXT:    %[[A3:.*]] = arith.mulf %[[A2]], %{{.*}} : bf16
// CHECK-NEXT:    %[[A4:.*]] = arith.addf %[[E0]], %[[A3]] : bf16
// CHECK-NEXT:    %[[A5:.*]] = arith.mulf %[[A4]], %{{.*}} : bf16
// CHECK-NEXT:    %[[A6:.*]] = math.tanh %[[A5]] : bf16
// CHECK-NEXT:    %[[A7:.*]] = arith.addf %[[A6]], %{{.*}} : bf16
// CHECK-NEXT:    %[[A8:.*]] = arith.mulf %[[A7]], %{{.*}} : bf16
// CHECK-NEXT:    %[[A9:.*]] = arith.mulf %[[E0]], %[[A8]] : bf16
// CHECK-NEXT:    %[[V0:.*]] = vector.insert %[[A9]], %[[ZEROS]] [%[[C0]]] : bf16 into vector<4xbf16>
// CHECK-NEXT:    %[[E1:.*]] = vector.extract %[[READ]][%[[C1]]] : bf16 from vector<4xbf16>
// CHECK-NEXT:    %[[B1:.*]] = arith.mulf %[[E1]], %[[E1]] : bf16
// CHECK:         %[[B9:.*]] = arith.mulf %[[E1]], %{{.*}} : bf16
// CHECK-NEXT:    %[[V1:.*]] = vector.insert %[[B9]], %[[V0]] [%[[C1]]] : bf16 into vector<4xbf16>
// CHECK-NEXT:    %[[E2:.*]] = vector.extract %[[READ]][%[[C2]]] : bf16 from vector<4xbf16>
// CHECK-NEXT:    %[[C1_:.*]] = arith.mulf %[[E2]], %[[E2]] : bf16
// CHECK:         %[[C9:.*]] = arith.mulf %[[E2]], %{{.*}} : bf16
// CHECK-NEXT:    %[[V2:.*]] = vector.insert %[[C9]], %[[V1]] [%[[C2]]] : bf16 into vector<4xbf16>
// CHECK-NEXT:    %[[E3:.*]] = vector.extract %[[READ]][%[[C3]]] : bf16 from vector<4xbf16>
// CHECK-NEXT:    %[[D1:.*]] = arith.mulf %[[E3]], %[[E3]] : bf16
// CHECK:         %[[D9:.*]] = arith.mulf %[[E3]], %{{.*}} : bf16
// CHECK-NEXT:    %[[V3:.*]] = vector.insert %[[D9]], %[[V2]] [%[[C3]]] : bf16 into vector<4xbf16>
// CHECK-NEXT:    %[[WRITTEN:.*]] = vector.transfer_write %[[V3]], %[[OUT]][%[[DIM]]] {in_bounds = [true]} : vector<4xbf16>, tensor<12582912xbf16>
// CHECK-NEXT:    return %[[WRITTEN]] : tensor<12582912xbf16>
#map = #xla_gpu.indexing_map<"(th_x, bl_x, vector_index) -> (th_x * 4 + bl_x * 512 + vector_index),"
  "domain: th_x in [0, 127], bl_x in [0, 24575], vector_index in [0, 3]">
func.func @main(%input: tensor<12582912xbf16>, %output: tensor<12582912xbf16>) -> tensor<12582912xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %cst = arith.constant 0.000000e+00 : bf16
  %cst_1 = arith.constant 5.000000e-01 : bf16
  %cst_2 = arith.constant 1.000000e+00 : bf16
  %cst_3 = arith.constant 7.968750e-01 : bf16
  %cst_4 = arith.constant 4.467770e-02 : bf16
  %vector_0 = arith.constant dense<0.000000e+00> : vector<4xbf16>
  %thread_id_x = gpu.thread_id x {xla.range = [0 : index, 127 : index]}
  %block_id_x = gpu.block_id x {xla.range = [0 : index, 24575 : index]}
  %0 = xla_gpu.apply_indexing #map(%thread_id_x, %block_id_x, %c0)
  %2 = vector.transfer_read %input[%0], %cst {in_bounds = [true]} : tensor<12582912xbf16>, vector<4xbf16>
  %xla_loop = scf.for %vector_index = %c0 to %c4 step %c1 iter_args(%iter_vector = %vector_0) -> (vector<4xbf16>) {
    %5 = vector.extract %2[%vector_index] : bf16 from vector<4xbf16>
    %6 = arith.mulf %5, %5 : bf16
    %7 = arith.mulf %6, %5 : bf16
    %8 = arith.mulf %7, %cst_4 : bf16
    %9 = arith.addf %5, %8 : bf16
    %10 = arith.mulf %9, %cst_3 : bf16
    %11 = math.tanh %10 : bf16
    %12 = arith.addf %11, %cst_2 : bf16
    %13 = arith.mulf %12, %cst_1 : bf16
    %14 = arith.mulf %5, %13 : bf16
    %15 = vector.insert %14, %iter_vector [%vector_index] : bf16 into vector<4xbf16>
    scf.yield %15 : vector<4xbf16>
  }
  %4 = vector.transfer_write %xla_loop, %output[%0] {in_bounds = [true]} : vector<4xbf16>, tensor<12582912xbf16>
  return %4 : tensor<12582912xbf16>
}

// -----------------------------------------------------------------------------------------------------------------------
// Whole unrolling

// Values are carried from copy to copy, also when they change places, and a value from above stays what it is.
// CHECK-LABEL: func.func @carried(
// CHECK-SAME:    %[[A:.*]]: index, %[[B:.*]]: index)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
// CHECK:         %[[X0:.*]] = arith.addi %[[A]], %[[C0]] : index
// CHECK-NEXT:    %[[X1:.*]] = arith.addi %[[B]], %[[C1]] : index
// CHECK-NEXT:    %[[X2:.*]] = arith.addi %[[X0]], %[[C2]] : index
// CHECK-NEXT:    return %[[X1]], %[[X2]], %[[B]] : index, index, index
func.func @carried(%a: index, %b: index) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %y = %b, %z = %a) -> (index, index, index) {
    %s = arith.addi %x, %i : index
    scf.yield %y, %s, %b : index, index, index
  }
  return %r#0, %r#1, %r#2 : index, index, index
}

// Inner loops go first; then the outer one has a body that can be copied.
// CHECK-LABEL: func.func @nested(
// CHECK-NOT:     scf.for
// CHECK-COUNT-6: arith.addf
// CHECK-NOT:     arith.addf
// CHECK:         return
func.func @nested(%init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %init) -> (f32) {
    %s = scf.for %j = %c0 to %c3 step %c1 iter_args(%y = %x) -> (f32) {
      %z = arith.addf %y, %y : f32
      scf.yield %z : f32
    }
    scf.yield %s : f32
  }
  return %r : f32
}

// A branch is copied with what is in it.
// CHECK-LABEL: func.func @branches(
// CHECK-SAME:    %[[C:.*]]: i1, %[[INIT:.*]]: i4)
// CHECK:         %[[X:.*]] = scf.if %[[C]] -> (i4) {
// CHECK-NEXT:      %[[S:.*]] = arith.addi %[[INIT]], %[[INIT]] : i4
// CHECK-NEXT:      scf.yield %[[S]] : i4
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[INIT]] : i4
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[Y:.*]] = scf.if %[[C]] -> (i4) {
// CHECK-NEXT:      %[[T:.*]] = arith.addi %[[X]], %[[X]] : i4
// CHECK-NEXT:      scf.yield %[[T]] : i4
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[X]] : i4
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[Y]] : i4
func.func @branches(%c: i1, %init: i4) -> i4 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %init) -> (i4) {
    %y = scf.if %c -> (i4) {
      %z = arith.addi %x, %x : i4
      scf.yield %z : i4
    } else {
      scf.yield %x : i4
    }
    scf.yield %y : i4
  }
  return %r : i4
}

// CHECK-LABEL: func.func @nothing_carried(
// CHECK-SAME:    %[[T:.*]]: memref<4xf32>, %[[X:.*]]: f32)
// CHECK-NOT:     scf.for
// CHECK-COUNT-4: memref.store
func.func @nothing_carried(%t: memref<4xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %x, %t[%i] : memref<4xf32>
  }
  return
}

// -----------------------------------------------------------------------------------------------------------------------
// Unrolling by a factor

// 19 copies of a body of 21 would fit; 16 is the largest that divides 64.
// CHECK-LABEL: func.func @by_sixteen(
// CHECK-SAME:    %[[INIT:.*]]: f32)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : index
// CHECK:         scf.for %{{.*}} = %[[C0]] to %[[C64]] step %[[C16]] iter_args(%[[X:.*]] = %[[INIT]]) -> (f32) {
// CHECK-COUNT-16:  math.exp
// CHECK-NOT:       math.exp
// CHECK:           scf.yield
func.func @by_sixteen(%init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%x = %init) -> (f32) {
    %y = math.exp %x : f32
    scf.yield %y : f32
  }
  return %r : f32
}

// Every copy has its own index.
// CHECK-LABEL: func.func @indices_of_copies(
// CHECK-SAME:    %[[INIT:.*]]: index)
// CHECK-DAG:     %[[C199:.*]] = arith.constant 199 : index
// CHECK-DAG:     %[[C200:.*]] = arith.constant 200 : index
// CHECK:         scf.for %[[I:[^ ]+]] = %{{.*}} to %{{.*}} step %[[C200]] iter_args(%[[X:.*]] = %[[INIT]]) -> (index) {
// CHECK-NEXT:      %[[FIRST:.*]] = arith.addi %[[X]], %[[I]] : index
// CHECK:           %[[LAST_INDEX:.*]] = arith.addi %[[I]], %[[C199]] : index
// CHECK-NEXT:      %[[LAST:.*]] = arith.addi %{{.*}}, %[[LAST_INDEX]] : index
// CHECK-NEXT:      scf.yield %[[LAST]] : index
func.func @indices_of_copies(%init: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %r = scf.for %i = %c0 to %c1000 step %c1 iter_args(%x = %init) -> (index) {
    %y = arith.addi %x, %i : index
    scf.yield %y : index
  }
  return %r : index
}

// An index of a tensor that grows evenly is computed once, and the copies add constants. Lanes share one base.
// CHECK-LABEL: func.func @even_indices(
// CHECK-DAG:     %[[C98:.*]] = arith.constant 98 : index
// CHECK-DAG:     %[[C99:.*]] = arith.constant 99 : index
// CHECK:         scf.for %[[I:[^ ]+]] = {{.*}} {
// CHECK-NEXT:      %[[EVEN:.*]] = xla_gpu.apply_indexing #{{.*}}(%[[I]], %{{.*}})
// CHECK-NEXT:      %[[BASE:.*]] = xla_gpu.apply_indexing #{{.*}}(%[[I]], %{{.*}})
// CHECK-NEXT:      %[[ODD:.*]] = xla_gpu.apply_indexing #{{.*}}(%[[I]], %{{.*}})
// CHECK-NEXT:      tensor.extract %{{.*}}[%[[EVEN]]]
// CHECK-NEXT:      tensor.extract %{{.*}}[%[[ODD]]]
// CHECK-NOT:       xla_gpu.apply_indexing
// CHECK:           %[[LAST_EVEN:.*]] = arith.addi %[[EVEN]], %[[C98]] overflow<nsw> : index
// CHECK-NEXT:      %[[LAST_ODD:.*]] = arith.addi %[[BASE]], %[[C99]] overflow<nsw> : index
// CHECK-NEXT:      tensor.extract %{{.*}}[%[[LAST_EVEN]]]
// CHECK-NEXT:      tensor.extract %{{.*}}[%[[LAST_ODD]]]
func.func @even_indices(%t: tensor<16000xf32>, %row: index, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %r = scf.for %i = %c0 to %c1000 step %c1 iter_args(%x = %init) -> (f32) {
    %even = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(i, row) -> (i * 2 + row * 2000), domain: i in [0, 999], row in [0, 7]">(%i, %row)
    %odd = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(i, row) -> (i * 2 + row * 2000 + 1), domain: i in [0, 999], row in [0, 7]">(%i, %row)
    %a = tensor.extract %t[%even] : tensor<16000xf32>
    %b = tensor.extract %t[%odd] : tensor<16000xf32>
    %s = arith.addf %a, %b : f32
    %y = arith.addf %x, %s : f32
    scf.yield %y : f32
  }
  return %r : f32
}

// An index that is compared is computed by its map in each copy, and so is one that does not grow evenly.
// CHECK-LABEL: func.func @other_indices(
// CHECK:         scf.for
// CHECK:           %[[NEXT:.*]] = arith.addi %{{.*}}, %c1 : index
// CHECK-NEXT:      xla_gpu.apply_indexing #{{.*}}(%[[NEXT]], %{{.*}})
// CHECK-NEXT:      xla_gpu.apply_indexing #{{.*}}(%[[NEXT]], %{{.*}})
func.func @other_indices(%t: tensor<16000xf32>, %row: index, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c999 = arith.constant 999 : index
  %c1000 = arith.constant 1000 : index
  %r = scf.for %i = %c0 to %c1000 step %c1 iter_args(%x = %init) -> (f32) {
    %compared = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(i, row) -> (i + row * 1000), domain: i in [0, 999], row in [0, 7]">(%i, %row)
    %uneven = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(i, row) -> (i floordiv 2 + row * 1000), domain: i in [0, 999], row in [0, 7]">(%i, %row)
    %inside = arith.cmpi ult, %compared, %c999 : index
    %a = tensor.extract %t[%compared] : tensor<16000xf32>
    %b = tensor.extract %t[%uneven] : tensor<16000xf32>
    %c = arith.select %inside, %a, %b : f32
    %y = arith.addf %x, %c : f32
    scf.yield %y : f32
  }
  return %r : f32
}

// A loop may count in integers.
// CHECK-LABEL: func.func @i32_loop(
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG:     %[[C200:.*]] = arith.constant 200 : i32
// CHECK:         scf.for %[[I:[^ ]+]] = %{{.*}} to %{{.*}} step %[[C200]] {{.*}} : i32 {
// CHECK:           arith.addi %[[I]], %[[C1]] : i32
func.func @i32_loop(%init: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c1000 = arith.constant 1000 : i32
  %r = scf.for %i = %c0 to %c1000 step %c1 iter_args(%x = %init) -> (i32) : i32 {
    %y = arith.xori %x, %i : i32
    scf.yield %y : i32
  }
  return %r : i32
}

// A call counts as what it calls: 23 with the addition and the yield. 10 is the largest divisor of 20 up to 400 / 23.
// CHECK-LABEL: func.func @calls(
// CHECK:         %[[C10:.*]] = arith.constant 10 : index
// CHECK:         scf.for {{.*}} step %[[C10]]
// CHECK-COUNT-10:  xla_gpu.pure_call @exp(
// CHECK-NOT:       xla_gpu.pure_call
// CHECK:           scf.yield
func.func @calls(%init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %r = scf.for %i = %c0 to %c20 step %c1 iter_args(%x = %init) -> (f32) {
    %y = xla_gpu.pure_call @exp(%x) : (f32) -> f32
    %z = arith.addf %x, %y : f32
    scf.yield %z : f32
  }
  return %r : f32
}

func.func private @exp(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}

// An operation on a vector counts as often as the vector has elements: 5 copies of 65 would fit, and 4 divides 8.
// CHECK-LABEL: func.func @vectors(
// CHECK:         %[[C4:.*]] = arith.constant 4 : index
// CHECK:         scf.for {{.*}} step %[[C4]]
func.func @vectors(%init: vector<16xf32>) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %init) -> (vector<16xf32>) {
    %a = arith.addf %x, %x : vector<16xf32>
    %b = arith.addf %a, %x : vector<16xf32>
    %c = arith.addf %b, %x : vector<16xf32>
    %d = arith.addf %c, %x : vector<16xf32>
    scf.yield %d : vector<16xf32>
  }
  return %r : vector<16xf32>
}

// -----------------------------------------------------------------------------------------------------------------------
// Loops that stay

// A prime number of iterations that are too many to be copied.
// CHECK-LABEL: func.func @prime(
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C401:.*]] = arith.constant 401 : index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[C401]] step %[[C1]]
func.func @prime(%init: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c401 = arith.constant 401 : index
  %r = scf.for %i = %c0 to %c401 step %c1 iter_args(%x = %init) -> (index) {
    %y = arith.addi %x, %i : index
    scf.yield %y : index
  }
  return %r : index
}

// No iteration, one, or a number that is not known; another start, or another step.
// CHECK-LABEL: func.func @other_bounds(
// CHECK-COUNT-5: scf.for
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @other_bounds(%init: index, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %none = scf.for %i = %c0 to %c0 step %c1 iter_args(%x = %init) -> (index) {
    %y = arith.addi %x, %i : index
    scf.yield %y : index
  }
  %one = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %none) -> (index) {
    %y = arith.addi %x, %i : index
    scf.yield %y : index
  }
  %unknown = scf.for %i = %c0 to %n step %c1 iter_args(%x = %one) -> (index) {
    %y = arith.addi %x, %i : index
    scf.yield %y : index
  }
  %late = scf.for %i = %c2 to %c4 step %c1 iter_args(%x = %unknown) -> (index) {
    %y = arith.addi %x, %i : index
    scf.yield %y : index
  }
  %wide = scf.for %i = %c0 to %c4 step %c2 iter_args(%x = %late) -> (index) {
    %y = arith.addi %x, %i : index
    scf.yield %y : index
  }
  return %wide : index
}

// Operations that are never copied: those that become much code, calls of unknown size, and loops.
// CHECK-LABEL: func.func @expensive(
// CHECK-COUNT-6: scf.for
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @expensive(%init: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %init) -> (f32) {
    %y = math.asinh %x : f32
    scf.yield %y : f32
  }
  %b = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %a) -> (f32) {
    %y = func.call @exp(%x) : (f32) -> f32
    scf.yield %y : f32
  }
  %c = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %b) -> (f32) {
    %y = xla_gpu.pure_call @external(%x) : (f32) -> f32
    scf.yield %y : f32
  }
  %d = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %c) -> (f32) {
    %y = xla_gpu.pure_call @recursive(%x) : (f32) -> f32
    scf.yield %y : f32
  }
  %e = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %d) -> (f32) {
    %y = scf.for %j = %c0 to %n step %c1 iter_args(%z = %x) -> (f32) {
      %w = arith.addf %z, %z : f32
      scf.yield %w : f32
    }
    scf.yield %y : f32
  }
  return %e : f32
}

func.func private @external(%x: f32) -> f32

func.func private @recursive(%x: f32) -> f32 {
  %y = xla_gpu.pure_call @recursive(%x) : (f32) -> f32
  return %y : f32
}

// -----

// What a copy computes from the iteration itself, it computes from its own; here nothing reads the carried value.

// CHECK-LABEL: func.func @own_iteration(
// CHECK:         scf.for %[[I:.*]] = %c0 to %c1024 step %c128
// CHECK-NEXT:      %[[FIRST:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK-NEXT:      "test.op"(%[[FIRST]])
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addi %[[I]], %c1 : index
// CHECK-NEXT:      %[[SECOND:.*]] = arith.index_cast %[[NEXT]] : index to i32
// CHECK-NEXT:      "test.op"(%[[SECOND]])
func.func @own_iteration(%x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %r = scf.for %i = %c0 to %c1024 step %c1 iter_args(%last = %x) -> (i32) {
    %n = arith.index_cast %i : index to i32
    "test.op"(%n) : (i32) -> ()
    scf.yield %n : i32
  }
  func.return %r : i32
}
