// RUN: xshardy-opt %s -p xla-gpu-threads-to-forall | filecheck %s
// RUN: xshardy-opt %s -p xla-gpu-threads-to-forall,xla-gpu-threads-to-forall | filecheck %s
// RUN: xshardy-opt %s -p xla-gpu-threads-to-forall,xla-gpu-lower-xla-shared | filecheck %s --check-prefix=BACK

// CHECK-LABEL: func.func @copy(
// CHECK-SAME:    %[[IN:.*]]: tensor<64x2xf32>, %[[OUT:.*]]: tensor<64x2xf32>)
// CHECK-NEXT:    %[[BLOCK:.*]] = xla_gpu.workgroup_id x {xla.range = [0 : index, 1 : index]}
// CHECK-NEXT:    %[[R:.*]] = scf.forall (%[[THREAD:.*]]) in (32) shared_outs(%[[SHARED:.*]] = %[[OUT]]) -> (tensor<64x2xf32>) {
// CHECK-NEXT:      %[[X:.*]] = tensor.extract %[[IN]][%[[THREAD]], %[[BLOCK]]]
// CHECK-NEXT:      %[[Y:.*]] = tensor.insert %[[X]] into %[[SHARED]][%[[THREAD]], %[[BLOCK]]]
// CHECK-NEXT:      scf.forall.in_parallel {
// CHECK-NEXT:        tensor.parallel_insert_slice %[[Y]] into %[[SHARED]][0, 0] [64, 2] [1, 1]
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]]

// BACK-LABEL: func.func @copy(
// BACK-NEXT:    gpu.block_id x {xla.range = [0 : index, 1 : index]}
// BACK-NEXT:    gpu.thread_id x {xla.range = [0 : index, 31 : index]}
// BACK-NEXT:    tensor.extract
// BACK-NEXT:    %[[R:.*]] = tensor.insert
// BACK-NEXT:    return %[[R]]
func.func @copy(%in: tensor<64x2xf32>, %out: tensor<64x2xf32>) -> tensor<64x2xf32>
    attributes {xla.entry, gpu.known_block_size = array<i32: 32, 1, 1>, gpu.known_grid_size = array<i32: 2, 1, 1>} {
  %thread = gpu.thread_id x {xla.range = [0 : index, 31 : index]}
  %block = gpu.block_id x {xla.range = [0 : index, 1 : index]}
  %x = tensor.extract %in[%thread, %block] : tensor<64x2xf32>
  %y = tensor.insert %x into %out[%thread, %block] : tensor<64x2xf32>
  func.return %y : tensor<64x2xf32>
}

// Threads that exchange values stay.

// CHECK-LABEL: func.func @shared(
// CHECK-NEXT:    gpu.thread_id x
// CHECK-NEXT:    xla_gpu.allocate_shared
// CHECK-NOT:     scf.forall
func.func @shared(%out: tensor<64xf32>) -> tensor<64xf32>
    attributes {xla.entry, gpu.known_block_size = array<i32: 32, 1, 1>, gpu.known_grid_size = array<i32: 1, 1, 1>} {
  %thread = gpu.thread_id x {xla.range = [0 : index, 31 : index]}
  %tile = xla_gpu.allocate_shared : tensor<32xf32>
  %synced = xla_gpu.sync_threads %tile : tensor<32xf32>
  %x = tensor.extract %synced[%thread] : tensor<32xf32>
  %y = tensor.insert %x into %out[%thread] : tensor<64xf32>
  func.return %y : tensor<64xf32>
}

// So does a function whose launch is unknown.

// CHECK-LABEL: func.func @unknown(
// CHECK-NEXT:    gpu.thread_id x
func.func @unknown(%out: tensor<64xf32>) -> tensor<64xf32> {
  %thread = gpu.thread_id x {xla.range = [0 : index, 31 : index]}
  %one = arith.constant 1.0 : f32
  %y = tensor.insert %one into %out[%thread] : tensor<64xf32>
  func.return %y : tensor<64xf32>
}
