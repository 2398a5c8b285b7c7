// RUN: xshardy-opt %s -p xla-gpu-inline-into-loops --split-input-file | filecheck %s
// RUN: xshardy-opt %s -p xla-gpu-inline-into-loops,xla-gpu-canonicalize,licm,xla-gpu-vectorize-loads-stores --split-input-file | filecheck %s --check-prefix VECTOR

// Both loops get a copy, no call is left, and what it reads is a vector.

// CHECK-LABEL: func.func @two_loops(
// CHECK-COUNT-2: tensor.extract
// CHECK-NOT:     pure_call
// CHECK-NOT:     func.func private @read
// VECTOR-LABEL: func.func @two_loops(
// VECTOR-COUNT-2: vector.transfer_read %{{.*}} : tensor<1024xf32>, vector<4xf32>
// VECTOR-NOT:     tensor.extract
// VECTOR:         return
func.func @two_loops(%t: tensor<1024xf32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %thread = gpu.thread_id x {xla.range = [0 : index, 127 : index]}
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %x) -> (f32) {
    %at = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 127], d1 in [0, 3]">(%thread, %i)
    %value = xla_gpu.pure_call @read(%t, %at) : (tensor<1024xf32>, index) -> f32
    %next = arith.addf %sum, %value : f32
    scf.yield %next : f32
  }
  %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %0) -> (f32) {
    %at = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0, d1) -> (d0 * 4 + d1 + 512), domain: d0 in [0, 127], d1 in [0, 3]">(%thread, %i)
    %value = xla_gpu.pure_call @read(%t, %at) : (tensor<1024xf32>, index) -> f32
    %next = arith.mulf %sum, %value : f32
    scf.yield %next : f32
  }
  return %1 : f32
}
func.func private @read(%t: tensor<1024xf32>, %i: index) -> f32 {
  %0 = tensor.extract %t[%i] : tensor<1024xf32>
  %1 = arith.addf %0, %0 : f32
  return %1 : f32
}

// -----

// Not, if there is another call: a function that reads nothing, one that calls another, one called twice in an iteration.
// Not a marked call either, even if it is the only one.

// CHECK-LABEL: func.func @kept(
// CHECK:         pure_call @compute
// CHECK:         pure_call @caller
// CHECK:         pure_call @read
// CHECK:         pure_call @read
// CHECK:         pure_call @other
func.func @kept(%t: tensor<1024xf32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %x) -> (f32) {
    %a = xla_gpu.pure_call @compute(%sum) : (f32) -> f32
    %b = xla_gpu.pure_call @caller(%t, %i) : (tensor<1024xf32>, index) -> f32
    %c = xla_gpu.pure_call @read(%t, %i) : (tensor<1024xf32>, index) -> f32
    %d = xla_gpu.pure_call @read(%t, %c4) : (tensor<1024xf32>, index) -> f32
    %e = xla_gpu.pure_call @other(%t, %i) {noinline} : (tensor<1024xf32>, index) -> f32
    %ab = arith.addf %a, %b : f32
    %cd = arith.addf %c, %d : f32
    %abcd = arith.addf %ab, %cd : f32
    %next = arith.addf %abcd, %e : f32
    scf.yield %next : f32
  }
  %1 = xla_gpu.pure_call @compute(%0) : (f32) -> f32
  %2 = xla_gpu.pure_call @caller(%t, %c4) : (tensor<1024xf32>, index) -> f32
  %3 = arith.addf %1, %2 : f32
  return %3 : f32
}
func.func private @compute(%x: f32) -> f32 {
  %0 = arith.addf %x, %x : f32
  return %0 : f32
}
func.func private @caller(%t: tensor<1024xf32>, %i: index) -> f32 {
  %0 = tensor.extract %t[%i] : tensor<1024xf32>
  %1 = xla_gpu.pure_call @compute(%0) : (f32) -> f32
  return %1 : f32
}
func.func private @read(%t: tensor<1024xf32>, %i: index) -> f32 {
  %0 = tensor.extract %t[%i] : tensor<1024xf32>
  return %0 : f32
}
func.func private @other(%t: tensor<1024xf32>, %i: index) -> f32 {
  %0 = tensor.extract %t[%i] : tensor<1024xf32>
  return %0 : f32
}

// -----

// A function stays while there are other calls of it, and a loop that is no vector calls it as before.

// CHECK-LABEL: func.func @some(
// CHECK:         scf.for
// CHECK-NEXT:      tensor.extract
// CHECK-COUNT-2: pure_call @read
// CHECK:       func.func private @read
func.func @some(%t: tensor<1024xf32>, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %x) -> (f32) {
    %a = xla_gpu.pure_call @read(%t, %i) : (tensor<1024xf32>, index) -> f32
    scf.yield %a : f32
  }
  %1 = scf.for %i = %c0 to %c5 step %c1 iter_args(%sum = %0) -> (f32) {
    %a = xla_gpu.pure_call @read(%t, %i) : (tensor<1024xf32>, index) -> f32
    scf.yield %a : f32
  }
  %2 = xla_gpu.pure_call @read(%t, %c5) : (tensor<1024xf32>, index) -> f32
  %3 = arith.addf %1, %2 : f32
  return %3 : f32
}
func.func private @read(%t: tensor<1024xf32>, %i: index) -> f32 {
  %0 = tensor.extract %t[%i] : tensor<1024xf32>
  return %0 : f32
}

// -----

// The only call left, here after the one in the loop, is inlined wherever it is; and so is that in the body of its function.

// CHECK-LABEL: func.func @last(
// CHECK:         scf.for
// CHECK-NEXT:      tensor.extract
// CHECK:         scf.if
// CHECK-NEXT:      tensor.extract
// CHECK:         arith.mulf
// CHECK-NOT:     pure_call
// CHECK-NOT:   func.func private
func.func @last(%t: tensor<1024xf32>, %x: f32, %in: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %x) -> (f32) {
    %a = xla_gpu.pure_call @read(%t, %i) : (tensor<1024xf32>, index) -> f32
    scf.yield %a : f32
  }
  %1 = scf.if %in -> (f32) {
    %a = xla_gpu.pure_call @read(%t, %c4) : (tensor<1024xf32>, index) -> f32
    scf.yield %a : f32
  } else {
    scf.yield %0 : f32
  }
  %2 = xla_gpu.pure_call @outer(%1) : (f32) -> f32
  return %2 : f32
}
func.func private @read(%t: tensor<1024xf32>, %i: index) -> f32 {
  %0 = tensor.extract %t[%i] : tensor<1024xf32>
  return %0 : f32
}
func.func private @outer(%x: f32) -> f32 {
  %0 = xla_gpu.pure_call @inner(%x) : (f32) -> f32
  return %0 : f32
}
func.func private @inner(%x: f32) -> f32 {
  %0 = arith.mulf %x, %x : f32
  return %0 : f32
}

// -----

// A function that only itself calls is not inlined into itself.

// CHECK-LABEL: func.func private @itself(
// CHECK-NEXT:    xla_gpu.pure_call @itself
func.func private @itself(%x: f32) -> f32 {
  %0 = xla_gpu.pure_call @itself(%x) : (f32) -> f32
  return %0 : f32
}

// -----

// Neither is a function with a branch, whose code is no straight line, nor one that is only declared.

// CHECK-LABEL: func.func @branches(
// CHECK:         scf.for
// CHECK:           pure_call @reads_under_condition
// CHECK-NEXT:      pure_call @declared
func.func @branches(%t: tensor<1024xf32>, %x: f32, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %x) -> (f32) {
    %value = xla_gpu.pure_call @reads_under_condition(%t, %i, %c) : (tensor<1024xf32>, index, i1) -> f32
    %other = xla_gpu.pure_call @declared(%t, %i) : (tensor<1024xf32>, index) -> f32
    %both = arith.addf %value, %other : f32
    %next = arith.addf %sum, %both : f32
    scf.yield %next : f32
  }
  %1 = xla_gpu.pure_call @reads_under_condition(%t, %c1, %c) : (tensor<1024xf32>, index, i1) -> f32
  %2 = xla_gpu.pure_call @declared(%t, %c1) : (tensor<1024xf32>, index) -> f32
  %3 = arith.addf %0, %1 : f32
  %4 = arith.addf %3, %2 : f32
  return %4 : f32
}
func.func private @reads_under_condition(%t: tensor<1024xf32>, %i: index, %c: i1) -> f32 {
  %0 = tensor.extract %t[%i] : tensor<1024xf32>
  %1 = scf.if %c -> (f32) {
    %2 = arith.addf %0, %0 : f32
    scf.yield %2 : f32
  } else {
    scf.yield %0 : f32
  }
  return %1 : f32
}
func.func private @declared(%t: tensor<1024xf32>, %i: index) -> f32
