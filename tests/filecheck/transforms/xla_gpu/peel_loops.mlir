// RUN: xshardy-opt %s -p xla-gpu-peel-loops | filecheck %s

// 100 elements, 4 to a thread: only what starts at 96 can go beyond the end, and that in the last iteration only.
// CHECK-DAG: #[[BODY:.*]] = #xla_gpu.indexing_map<"(th)[i] -> (i * 32 + th), domain: th in [0, 31], i in [0, 2]">
// CHECK-DAG: #[[TAIL:.*]] = #xla_gpu.indexing_map<"(th)[i] -> (th + 96), domain: th in [0, 3], i in [3, 3]">
// CHECK-DAG: #[[VECTORS:.*]] = #xla_gpu.indexing_map<"(th)[i] -> (th * 4 + i), domain: th in [0, 24], i in [0, 3]">

// CHECK-LABEL: func.func @last_iteration(
// CHECK-SAME:    %[[T:.*]]: tensor<100xf32>, %[[TH:.*]]: index, %[[X:.*]]: f32)
// CHECK-NEXT:    %[[FIRST:.*]] = xla_gpu.loop (%[[TH]])[%[[I:.*]]] -> (%[[AT:.*]]) in #[[BODY]] iter_args(%[[U:.*]] = %[[T]]) -> (tensor<100xf32>) {
// CHECK-NEXT:      %[[A:.*]] = tensor.insert %[[X]] into %[[U]][%[[AT]]] : tensor<100xf32>
// CHECK-NEXT:      xla_gpu.yield %[[A]] : tensor<100xf32>
// CHECK-NEXT:    } {note = "kept"}
// CHECK-NEXT:    %[[LAST:.*]] = xla_gpu.loop (%[[TH]])[%[[I:.*]]] -> (%[[AT:.*]]) in #[[TAIL]] iter_args(%[[U:.*]] = %[[FIRST]]) -> (tensor<100xf32>) {
// CHECK-NEXT:      %[[B:.*]] = tensor.insert %[[X]] into %[[U]][%[[AT]]] : tensor<100xf32>
// CHECK-NEXT:      xla_gpu.yield %[[B]] : tensor<100xf32>
// CHECK-NEXT:    } {note = "kept"}
// CHECK-NEXT:    return %[[LAST]] : tensor<100xf32>
func.func @last_iteration(%t: tensor<100xf32>, %th: index, %x: f32) -> tensor<100xf32> {
  %r = xla_gpu.loop (%th)[%i] -> (%at) in #xla_gpu.indexing_map<
      "(th)[i] -> (th + i * 32), domain: th in [0, 31], i in [0, 3], th + i * 32 in [0, 99]">
      iter_args(%u = %t) -> (tensor<100xf32>) {
    %a = tensor.insert %x into %u[%at] : tensor<100xf32>
    xla_gpu.yield %a : tensor<100xf32>
  } {note = "kept"}
  return %r : tensor<100xf32>
}

// Two iterations may be too many: without the last one the check is still needed.
// CHECK-LABEL: func.func @more_than_one_iteration(
// CHECK-COUNT-1: xla_gpu.loop
// CHECK-NOT:     xla_gpu.loop
// CHECK:         return
func.func @more_than_one_iteration(%t: tensor<60xf32>, %th: index, %x: f32) -> tensor<60xf32> {
  %r = xla_gpu.loop (%th)[%i] -> (%at) in #xla_gpu.indexing_map<
      "(th)[i] -> (th + i * 32), domain: th in [0, 31], i in [0, 3], th + i * 32 in [0, 59]">
      iter_args(%u = %t) -> (tensor<60xf32>) {
    %a = tensor.insert %x into %u[%at] : tensor<60xf32>
    xla_gpu.yield %a : tensor<60xf32>
  }
  return %r : tensor<60xf32>
}

// There is nothing to take away from a single iteration, and nothing to gain without a constraint that can fail.
// CHECK-LABEL: func.func @nothing_to_gain(
// CHECK-COUNT-2: xla_gpu.loop
// CHECK-NOT:     xla_gpu.loop
// CHECK:         return
func.func @nothing_to_gain(%th: index, %x: index) -> index {
  %r = xla_gpu.loop (%th)[%i] -> (%at) in #xla_gpu.indexing_map<
      "(th)[i] -> (th + i), domain: th in [0, 31], i in [0, 0], th + i in [0, 20]"> iter_args(%u = %x) -> (index) {
    %a = arith.addi %u, %at : index
    xla_gpu.yield %a : index
  }
  %s = xla_gpu.loop (%th)[%i] -> (%at) in #xla_gpu.indexing_map<
      "(th)[i] -> (th + i), domain: th in [0, 31], i in [0, 9], th + i in [0, 40]"> iter_args(%u = %r) -> (index) {
    %a = arith.addi %u, %at : index
    xla_gpu.yield %a : index
  }
  return %s : index
}

// An outer loop is left alone when there are 64 iterations or more within one of its own.
// CHECK-LABEL: func.func @large_inner_loop(
// CHECK-COUNT-1: xla_gpu.loop
// CHECK-NOT:     xla_gpu.loop
// CHECK:         return
func.func @large_inner_loop(%th: index, %x: index) -> index {
  %r = xla_gpu.loop (%th)[%i, %j] -> (%at) in #xla_gpu.indexing_map<
      "(th)[i, j] -> (th + j), domain: th in [0, 31], i in [0, 3], j in [0, 63], th + i * 32 in [0, 99]">
      iter_args(%u = %x) -> (index) {
    %a = arith.addi %u, %at : index
    xla_gpu.yield %a : index
  }
  return %r : index
}

// With one iteration less of the inner loop, the outer one is split.
// CHECK-LABEL: func.func @smaller_inner_loop(
// CHECK-COUNT-2: xla_gpu.loop
// CHECK-NOT:     xla_gpu.loop
// CHECK:         return
func.func @smaller_inner_loop(%th: index, %x: index) -> index {
  %r = xla_gpu.loop (%th)[%i, %j] -> (%at) in #xla_gpu.indexing_map<
      "(th)[i, j] -> (th + j), domain: th in [0, 31], i in [0, 3], j in [0, 62], th + i * 32 in [0, 99]">
      iter_args(%u = %x) -> (index) {
    %a = arith.addi %u, %at : index
    xla_gpu.yield %a : index
  }
  return %r : index
}

// A constraint that is the same for all elements of a vector does not read its index.
// CHECK-LABEL: func.func @whole_vectors(
// CHECK:         xla_gpu.loop {{.*}} in #[[VECTORS]] iter_args
// CHECK-NOT:     xla_gpu.loop
// CHECK:         return
func.func @whole_vectors(%th: index, %x: index) -> index {
  %r = xla_gpu.loop (%th)[%i] -> (%at) in #xla_gpu.indexing_map<
      "(th)[i] -> (th * 4 + i), domain: th in [0, 31], i in [0, 3], th * 4 + i in [0, 99]"> iter_args(%u = %x) -> (index) {
    %a = arith.addi %u, %at : index
    xla_gpu.yield %a : index
  }
  return %r : index
}
