// RUN: xshardy-opt %s -p xla-gpu-lower-xla-shared | filecheck %s

// Two results, of which one is not written; the dimensions of the box are those of the block.
// CHECK-LABEL: func.func @forall(
// CHECK-SAME:    %[[T:.*]]: tensor<8x4xf32>, %[[U:.*]]: tensor<2xi8>, %[[X:.*]]: f32)
// CHECK-NEXT:    %[[I:.*]] = gpu.thread_id x {xla.range = [0 : index, 7 : index]}
// CHECK-NEXT:    %[[J:.*]] = gpu.thread_id y {xla.range = [0 : index, 3 : index]}
// CHECK-NEXT:    %[[R:.*]] = tensor.insert %[[X]] into %[[T]][%[[I]], %[[J]]] : tensor<8x4xf32>
// CHECK-NEXT:    return %[[R]], %[[U]] : tensor<8x4xf32>, tensor<2xi8>
func.func @forall(%t: tensor<8x4xf32>, %u: tensor<2xi8>, %x: f32) -> (tensor<8x4xf32>, tensor<2xi8>) {
  %r:2 = scf.forall (%i, %j) in (8, 4) shared_outs(%a = %t, %b = %u) -> (tensor<8x4xf32>, tensor<2xi8>) {
    %c = tensor.insert %x into %a[%i, %j] : tensor<8x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %c into %a[0, 0] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x4xf32>
    }
  }
  return %r#0, %r#1 : tensor<8x4xf32>, tensor<2xi8>
}

// CHECK-LABEL: func.func @workgroup_id(
// CHECK-NEXT:    %[[X:.*]] = gpu.block_id x {xla.range = [0 : index, 7 : index]}
// CHECK-NEXT:    %[[Z:.*]] = gpu.block_id z
// CHECK-NEXT:    return %[[X]], %[[Z]] : index, index
func.func @workgroup_id() -> (index, index) {
  %x = xla_gpu.workgroup_id x {xla.range = [0 : index, 7 : index]}
  %z = xla_gpu.workgroup_id z
  return %x, %z : index, index
}
