// RUN: xshardy-opt %s -p xla-gpu-fuse-loops | filecheck %s

#read = #xla_gpu.indexing_map<"(th, bl)[i, j] -> (bl, i * 4 + th, j), domain: th in [0, 3], bl in [0, 5], i in [0, 7], j in [0, 1], th + i * 4 in [0, 28]">
#write = #xla_gpu.indexing_map<"(th, bl)[i, j] -> (th, i * 2 + j), domain: th in [0, 3], bl in [0, 5], i in [0, 7], j in [0, 1], th + i * 4 in [0, 28]">
#unchecked = #xla_gpu.indexing_map<"(th, bl)[i, j] -> (th, i * 2 + j), domain: th in [0, 3], bl in [0, 5], i in [0, 7], j in [0, 1]">
#row = #xla_gpu.indexing_map<"(th)[i] -> (th * 4 + i), domain: th in [0, 7], i in [0, 3]">
#renamed = #xla_gpu.indexing_map<"(t)[k] -> (t * 4 + k), domain: t in [0, 7], k in [0, 3]">

// CHECK-DAG: #[[BOTH:.*]] = #xla_gpu.indexing_map<"(th, bl)[i, j] -> (bl, i * 4 + th, j, th, i * 2 + j), domain: th in [0, 3], bl in [0, 5], i in [0, 7], j in [0, 1], {{.*}} in [0, 28]">
// CHECK-DAG: #[[ROW:.*]] = #xla_gpu.indexing_map<"(th)[i] -> (th * 4 + i), domain: th in [0, 7], i in [0, 3]">

// What one loop keeps in a vector, and the next takes from it, needs no vector.
// CHECK-LABEL: func.func @through_vector(
// CHECK-SAME:    %[[X:.*]]: tensor<6x32x2xf32>, %[[S:.*]]: tensor<4x16xf32>, %[[TH:.*]]: index, %[[BL:.*]]: index)
// CHECK-NEXT:    %[[R:.*]] = xla_gpu.loop (%[[TH]], %[[BL]])[%[[I:.*]], %[[J:.*]]] -> (%[[A:.*]], %[[B:.*]], %[[C:.*]], %[[D:.*]], %[[E:.*]]) in #[[BOTH]] iter_args(%[[T:.*]] = %[[S]]) -> (tensor<4x16xf32>) {
// CHECK-NEXT:      %[[READ:.*]] = tensor.extract %[[X]][%[[A]], %[[B]], %[[C]]] : tensor<6x32x2xf32>
// CHECK-NEXT:      %[[WRITTEN:.*]] = tensor.insert %[[READ]] into %[[T]][%[[D]], %[[E]]] : tensor<4x16xf32>
// CHECK-NEXT:      xla_gpu.yield %[[WRITTEN]] : tensor<4x16xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]] : tensor<4x16xf32>
func.func @through_vector(%x: tensor<6x32x2xf32>, %s: tensor<4x16xf32>, %th: index, %bl: index) -> tensor<4x16xf32> {
  %init = ub.poison : vector<8x2xf32>
  %v = xla_gpu.loop (%th, %bl)[%i, %j] -> (%a, %b, %c) in #read iter_args(%w = %init) -> (vector<8x2xf32>) {
    %e = tensor.extract %x[%a, %b, %c] : tensor<6x32x2xf32>
    %w1 = vector.insert %e, %w[%i, %j] : f32 into vector<8x2xf32>
    xla_gpu.yield %w1 : vector<8x2xf32>
  }
  %r = xla_gpu.loop (%th, %bl)[%i, %j] -> (%a, %b) in #write iter_args(%t = %s) -> (tensor<4x16xf32>) {
    %e = vector.extract %v[%i, %j] : f32 from vector<8x2xf32>
    %t1 = tensor.insert %e into %t[%a, %b] : tensor<4x16xf32>
    xla_gpu.yield %t1 : tensor<4x16xf32>
  }
  return %r : tensor<4x16xf32>
}

// The first loop makes fewer iterations: it leaves elements of the vector as they were.
// CHECK-LABEL: func.func @other_domain(
// CHECK-COUNT-2: xla_gpu.loop
// CHECK:         return
func.func @other_domain(%x: tensor<6x32x2xf32>, %s: tensor<4x16xf32>, %th: index, %bl: index) -> tensor<4x16xf32> {
  %init = ub.poison : vector<8x2xf32>
  %v = xla_gpu.loop (%th, %bl)[%i, %j] -> (%a, %b, %c) in #read iter_args(%w = %init) -> (vector<8x2xf32>) {
    %e = tensor.extract %x[%a, %b, %c] : tensor<6x32x2xf32>
    %w1 = vector.insert %e, %w[%i, %j] : f32 into vector<8x2xf32>
    xla_gpu.yield %w1 : vector<8x2xf32>
  }
  %r = xla_gpu.loop (%th, %bl)[%i, %j] -> (%a, %b) in #unchecked iter_args(%t = %s) -> (tensor<4x16xf32>) {
    %e = vector.extract %v[%i, %j] : f32 from vector<8x2xf32>
    %t1 = tensor.insert %e into %t[%a, %b] : tensor<4x16xf32>
    xla_gpu.yield %t1 : tensor<4x16xf32>
  }
  return %r : tensor<4x16xf32>
}

// An iteration reads what another one wrote.
// CHECK-LABEL: func.func @other_element(
// CHECK-COUNT-2: xla_gpu.loop
// CHECK:         return
func.func @other_element(%s: tensor<32xf32>, %th: index, %bl: index, %x: f32) -> tensor<32xf32> {
  %init = ub.poison : vector<4x4xf32>
  %v = xla_gpu.loop (%th)[%i, %j] -> (%a) in #xla_gpu.indexing_map<"(th)[i, j] -> (th), domain: th in [0, 7], i in [0, 3], j in [0, 3]"> iter_args(%w = %init) -> (vector<4x4xf32>) {
    %w1 = vector.insert %x, %w[%i, %j] : f32 into vector<4x4xf32>
    xla_gpu.yield %w1 : vector<4x4xf32>
  }
  %r = xla_gpu.loop (%th)[%i, %j] -> (%a) in #xla_gpu.indexing_map<"(th)[i, j] -> (th * 4 + i), domain: th in [0, 7], i in [0, 3], j in [0, 3]"> iter_args(%t = %s) -> (tensor<32xf32>) {
    %e = vector.extract %v[%j, %i] : f32 from vector<4x4xf32>
    %t1 = tensor.insert %e into %t[%a] : tensor<32xf32>
    xla_gpu.yield %t1 : tensor<32xf32>
  }
  return %r : tensor<32xf32>
}

// Every iteration writes the same element: only the last one counts.
// CHECK-LABEL: func.func @overwritten(
// CHECK-COUNT-2: xla_gpu.loop
// CHECK:         return
func.func @overwritten(%s: tensor<32xf32>, %th: index, %x: f32) -> tensor<32xf32> {
  %init = ub.poison : vector<1xf32>
  %v = xla_gpu.loop (%th)[%i] -> (%a) in #row iter_args(%w = %init) -> (vector<1xf32>) {
    %w1 = vector.insert %x, %w[0] : f32 into vector<1xf32>
    xla_gpu.yield %w1 : vector<1xf32>
  }
  %r = xla_gpu.loop (%th)[%i] -> (%a) in #row iter_args(%t = %s) -> (tensor<32xf32>) {
    %e = vector.extract %v[0] : f32 from vector<1xf32>
    %t1 = tensor.insert %e into %t[%a] : tensor<32xf32>
    xla_gpu.yield %t1 : tensor<32xf32>
  }
  return %r : tensor<32xf32>
}

// The first loop does not fill the vector: every iteration changes all of its elements.
// CHECK-LABEL: func.func @not_filled(
// CHECK-COUNT-2: xla_gpu.loop
// CHECK:         return
func.func @not_filled(%s: tensor<32xf32>, %th: index, %x: vector<4xf32>) -> tensor<32xf32> {
  %v = xla_gpu.loop (%th)[%i] -> (%a) in #row iter_args(%w = %x) -> (vector<4xf32>) {
    %w1 = arith.addf %w, %x : vector<4xf32>
    xla_gpu.yield %w1 : vector<4xf32>
  }
  %r = xla_gpu.loop (%th)[%i] -> (%a) in #row iter_args(%t = %s) -> (tensor<32xf32>) {
    %e = vector.extract %v[%i] : f32 from vector<4xf32>
    %t1 = tensor.insert %e into %t[%a] : tensor<32xf32>
    xla_gpu.yield %t1 : tensor<32xf32>
  }
  return %r : tensor<32xf32>
}

// Loops with one map share its indices, whatever its variables are called. Three become one.
// CHECK-LABEL: func.func @same_map(
// CHECK-SAME:    %[[X:.*]]: tensor<32xf32>, %[[S:.*]]: tensor<32xf32>, %[[U:.*]]: tensor<32xf32>, %[[TH:.*]]: index, %[[F:.*]]: f32)
// CHECK-NEXT:    %[[R:.*]], %[[R1:.*]], %[[R2:.*]] = xla_gpu.loop (%[[TH]])[%[[I:.*]]] -> (%[[A:.*]]) in #[[ROW]] iter_args(%[[SUM:.*]] = %[[F]], %[[T:.*]] = %[[S]], %[[V:.*]] = %[[U]]) -> (f32, tensor<32xf32>, tensor<32xf32>) {
// CHECK-NEXT:      %[[E:.*]] = tensor.extract %[[X]][%[[A]]] : tensor<32xf32>
// CHECK-NEXT:      %[[ADDED:.*]] = arith.addf %[[SUM]], %[[E]] : f32
// CHECK-NEXT:      %[[ONE:.*]] = tensor.insert %[[F]] into %[[T]][%[[A]]] : tensor<32xf32>
// CHECK-NEXT:      %[[TWO:.*]] = tensor.insert %[[F]] into %[[V]][%[[A]]] : tensor<32xf32>
// CHECK-NEXT:      xla_gpu.yield %[[ADDED]], %[[ONE]], %[[TWO]] : f32, tensor<32xf32>, tensor<32xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]], %[[R1]], %[[R2]] : f32, tensor<32xf32>, tensor<32xf32>
func.func @same_map(%x: tensor<32xf32>, %s: tensor<32xf32>, %u: tensor<32xf32>, %th: index, %f: f32) -> (f32, tensor<32xf32>, tensor<32xf32>) {
  %sum = xla_gpu.loop (%th)[%i] -> (%a) in #row iter_args(%c = %f) -> (f32) {
    %e = tensor.extract %x[%a] : tensor<32xf32>
    %c1 = arith.addf %c, %e : f32
    xla_gpu.yield %c1 : f32
  }
  %r = xla_gpu.loop (%th)[%i] -> (%a) in #row iter_args(%t = %s) -> (tensor<32xf32>) {
    %t1 = tensor.insert %f into %t[%a] : tensor<32xf32>
    xla_gpu.yield %t1 : tensor<32xf32>
  }
  %q = xla_gpu.loop (%th)[%i] -> (%a) in #renamed iter_args(%t = %u) -> (tensor<32xf32>) {
    %t1 = tensor.insert %f into %t[%a] : tensor<32xf32>
    xla_gpu.yield %t1 : tensor<32xf32>
  }
  return %sum, %r, %q : f32, tensor<32xf32>, tensor<32xf32>
}

// The second loop needs the whole result of the first.
// CHECK-LABEL: func.func @one_after_the_other(
// CHECK-COUNT-2: xla_gpu.loop
// CHECK:         return
func.func @one_after_the_other(%s: tensor<32xf32>, %th: index, %f: f32) -> tensor<32xf32> {
  %r = xla_gpu.loop (%th)[%i] -> (%a) in #row iter_args(%t = %s) -> (tensor<32xf32>) {
    %t1 = tensor.insert %f into %t[%a] : tensor<32xf32>
    xla_gpu.yield %t1 : tensor<32xf32>
  }
  %q = xla_gpu.loop (%th)[%i] -> (%a) in #row iter_args(%t = %r) -> (tensor<32xf32>) {
    %t1 = tensor.insert %f into %t[%a] : tensor<32xf32>
    xla_gpu.yield %t1 : tensor<32xf32>
  }
  return %q : tensor<32xf32>
}

// The first loop reads a tensor that is written before the second one.
// CHECK-LABEL: func.func @written_between(
// CHECK-COUNT-2: xla_gpu.loop
// CHECK:         return
func.func @written_between(%x: tensor<32xf32>, %th: index, %f: f32) -> (f32, f32, tensor<32xf32>) {
  %sum = xla_gpu.loop (%th)[%i] -> (%a) in #row iter_args(%c = %f) -> (f32) {
    %e = tensor.extract %x[%a] : tensor<32xf32>
    %c1 = arith.addf %c, %e : f32
    xla_gpu.yield %c1 : f32
  }
  %y = tensor.insert %f into %x[%th] : tensor<32xf32>
  %z = xla_gpu.sync_threads %y : tensor<32xf32>
  %product = xla_gpu.loop (%th)[%i] -> (%a) in #row iter_args(%c = %f) -> (f32) {
    %e = tensor.extract %z[%a] : tensor<32xf32>
    %c1 = arith.mulf %c, %e : f32
    xla_gpu.yield %c1 : f32
  }
  return %sum, %product, %z : f32, f32, tensor<32xf32>
}

// Other threads, other elements; and a loop inside of another is not beside it.
// CHECK-LABEL: func.func @other_dimensions(
// CHECK-COUNT-3: xla_gpu.loop
// CHECK:         return
func.func @other_dimensions(%th: index, %bl: index, %f: f32) -> (f32, f32) {
  %r = xla_gpu.loop (%th)[%i] -> (%a) in #row iter_args(%c = %f) -> (f32) {
    %c1 = arith.addf %c, %f : f32
    xla_gpu.yield %c1 : f32
  }
  %s = xla_gpu.loop (%bl)[%i] -> (%a) in #row iter_args(%c = %f) -> (f32) {
    %n = xla_gpu.loop (%th)[%j] -> (%b) in #row iter_args(%d = %c) -> (f32) {
      %d1 = arith.mulf %d, %f : f32
      xla_gpu.yield %d1 : f32
    }
    xla_gpu.yield %n : f32
  }
  return %r, %s : f32, f32
}

// Between the loops, all of the operations only read the tensor that the first one reads.
// CHECK-LABEL: func.func @read_between(
// CHECK-COUNT-1: xla_gpu.loop
// CHECK-NOT:     xla_gpu.loop
// CHECK:         return
func.func @read_between(%x: tensor<32xf32>, %th: index, %f: f32) -> (f32, f32, f32, vector<4xf32>, f32) {
  %sum = xla_gpu.loop (%th)[%i] -> (%a) in #row iter_args(%c = %f) -> (f32) {
    %e = tensor.extract %x[%a] : tensor<32xf32>
    %c1 = arith.addf %c, %e : f32
    xla_gpu.yield %c1 : f32
  }
  %first = tensor.extract %x[%th] : tensor<32xf32>
  %four = vector.transfer_read %x[%th], %f : tensor<32xf32>, vector<4xf32>
  %called = xla_gpu.pure_call @reads(%x, %th) : (tensor<32xf32>, index) -> f32
  %product = xla_gpu.loop (%th)[%i] -> (%a) in #row iter_args(%c = %f) -> (f32) {
    %e = tensor.extract %x[%a] : tensor<32xf32>
    %c1 = arith.mulf %c, %e : f32
    xla_gpu.yield %c1 : f32
  }
  return %sum, %product, %first, %four, %called : f32, f32, f32, vector<4xf32>, f32
}
func.func private @reads(%x: tensor<32xf32>, %i: index) -> f32 {
  %e = tensor.extract %x[%i] : tensor<32xf32>
  return %e : f32
}
