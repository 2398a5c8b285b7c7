// RUN: xshardy-opt %s -p xla-gpu-optimize-loops{pipeline_loads=true} --split-input-file | filecheck %s
// RUN: xshardy-opt %s -p xla-gpu-optimize-loops --split-input-file | filecheck %s --check-prefix OFF

// The body is never unrolled. What the next iteration reads is read first, and carried; the last iteration starts again.

// CHECK: #[[AT:.*]] = #xla_gpu.indexing_map<"(d0, d1) -> (d0 * 32 + d1), domain: d0 in [0, 31], d1 in [0, 30]">
// CHECK: #[[NEXT:.*]] = #xla_gpu.indexing_map<"(d0) -> ((d0 + 1) mod 31), domain: d0 in [0, 30]">
// CHECK-LABEL: func.func @read_ahead(
// CHECK-SAME:    %[[T:.*]]: tensor<1024xf32> {xla.invariant}, %[[X:.*]]: f32, %[[THREAD:[a-z0-9]+]]: index
// CHECK:         %[[FIRST_AT:.*]] = xla_gpu.apply_indexing #[[AT]](%[[THREAD]], %c0)
// CHECK-NEXT:    %[[FIRST:.*]] = tensor.extract %[[T]][%[[FIRST_AT]]] : tensor<1024xf32>
// CHECK-NEXT:    %{{.*}} = scf.for %[[I:.*]] = %c0 to %c31 step %c1 iter_args(%[[SUM:.*]] = %[[X]], %[[VALUE:.*]] = %[[FIRST]]) -> (f32, f32) {
// CHECK:           %[[NEXT_I:.*]] = xla_gpu.apply_indexing #[[NEXT]](%[[I]])
// CHECK-NEXT:      %[[NEXT_AT:.*]] = xla_gpu.apply_indexing #[[AT]](%[[THREAD]], %[[NEXT_I]])
// CHECK-NEXT:      %[[NEXT_VALUE:.*]] = tensor.extract %[[T]][%[[NEXT_AT]]] : tensor<1024xf32>
// CHECK-NEXT:      %[[S:.*]] = math.sinh %[[VALUE]] : f32
// CHECK-NEXT:      %[[R:.*]] = arith.addf %[[SUM]], %[[S]] : f32
// CHECK-NEXT:      scf.yield %[[R]], %[[NEXT_VALUE]] : f32, f32

// OFF-LABEL: func.func @read_ahead(
// OFF-NOT:     tensor.extract
// OFF:         scf.for
// OFF:           tensor.extract
// OFF-NOT:       tensor.extract
// OFF:           scf.yield
func.func @read_ahead(%t: tensor<1024xf32> {xla.invariant}, %x: f32, %thread: index {xla.range = [0 : index, 31 : index]}) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %0 = scf.for %i = %c0 to %c31 step %c1 iter_args(%sum = %x) -> (f32) {
    %at = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0, d1) -> (d0 * 32 + d1), domain: d0 in [0, 31], d1 in [0, 30]">(%thread, %i)
    %value = tensor.extract %t[%at] : tensor<1024xf32>
    %sinh = math.sinh %value : f32
    %next = arith.addf %sum, %sinh : f32
    scf.yield %next : f32
  }
  return %0 : f32
}

// -----

// A vector is carried too.

// CHECK-LABEL: func.func @vector(
// CHECK:         %[[FIRST:.*]] = vector.transfer_read
// CHECK:         scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %[[FIRST]]) -> (vector<4xf32>, vector<4xf32>)
func.func @vector(%t: tensor<1024xf32> {xla.invariant}, %x: vector<4xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %zero = arith.constant 0.0 : f32
  %0 = scf.for %i = %c0 to %c31 step %c1 iter_args(%sum = %x) -> (vector<4xf32>) {
    %at = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (d0 * 4), domain: d0 in [0, 30]">(%i)
    %value = vector.transfer_read %t[%at], %zero {in_bounds = [true]} : tensor<1024xf32>, vector<4xf32>
    %sinh = math.sinh %value : vector<4xf32>
    %next = arith.addf %sum, %sinh : vector<4xf32>
    scf.yield %next : vector<4xf32>
  }
  return %0 : vector<4xf32>
}

// -----

// Not: what the loop carries or made itself, an index that was read, one that does not change, what only some iterations
// read, a tensor that is written, and shared memory.

// CHECK-LABEL: func.func @kept(
// CHECK-NOT:     tensor.extract
// CHECK:         scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, tensor<64xf32>) {
// CHECK-COUNT-6: tensor.extract
// CHECK:         scf.yield
func.func @kept(%t: tensor<64xf32> {xla.invariant}, %u: tensor<64xf32>, %n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %shared = xla_gpu.allocate_shared : tensor<64xf32>
  %0:2 = scf.for %i = %c0 to %c31 step %c1 iter_args(%sum = %x, %carried = %u) -> (f32, tensor<64xf32>) {
    %a = tensor.extract %carried[%i] : tensor<64xf32>
    %b = math.sinh %a : f32
    %at = arith.fptosi %b : f32 to i32
    %index = arith.index_cast %at : i32 to index
    %c = tensor.extract %t[%index] : tensor<64xf32>
    %d = tensor.extract %t[%n] : tensor<64xf32>
    %some = arith.cmpi slt, %i, %n : index
    %e = scf.if %some -> (f32) {
      %read = tensor.extract %t[%i] : tensor<64xf32>
      scf.yield %read : f32
    } else {
      scf.yield %x : f32
    }
    %g = tensor.extract %u[%i] : tensor<64xf32>
    %f = tensor.extract %shared[%i] : tensor<64xf32>
    %ab = arith.addf %a, %b : f32
    %cd = arith.addf %c, %d : f32
    %ef = arith.addf %e, %f : f32
    %abcd = arith.addf %ab, %cd : f32
    %abcdef = arith.addf %abcd, %ef : f32
    %all = arith.addf %abcdef, %g : f32
    %written = tensor.insert %all into %carried[%i] : tensor<64xf32>
    scf.yield %all, %written : f32, tensor<64xf32>
  }
  return %0#0 : f32
}

// -----

// A loop that is unrolled reads in straight code.

// CHECK-LABEL: func.func @unrolled(
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @unrolled(%t: tensor<64xf32> {xla.invariant}, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %x) -> (f32) {
    %value = tensor.extract %t[%i] : tensor<64xf32>
    %next = arith.addf %sum, %value : f32
    scf.yield %next : f32
  }
  return %0 : f32
}

// -----

// The index may be bounded, and another one come from outside of the loop.

// CHECK-LABEL: func.func @bounded_index(
// CHECK:         tensor.extract
// CHECK:         scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, f32)
// CHECK:           arith.minsi
func.func @bounded_index(%t: tensor<64x4xf32> {xla.invariant}, %column: index, %last: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c900 = arith.constant 900 : index
  %0 = scf.for %i = %c0 to %c900 step %c1 iter_args(%sum = %x) -> (f32) {
    %row = arith.minsi %i, %last : index
    %value = tensor.extract %t[%row, %column] : tensor<64x4xf32>
    %next = arith.addf %sum, %value : f32
    %2 = math.exp %next : f32
    %3 = math.exp %2 : f32
    %4 = math.exp %3 : f32
    %5 = math.exp %4 : f32
    %6 = math.exp %5 : f32
    %7 = math.exp %6 : f32
    %8 = math.exp %7 : f32
    %9 = math.exp %8 : f32
    %10 = math.exp %9 : f32
    %11 = math.exp %10 : f32
    %12 = math.exp %11 : f32
    scf.yield %12 : f32
  }
  return %0 : f32
}
