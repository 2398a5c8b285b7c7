// RUN: xshardy-opt %s -p cse | filecheck %s
// RUN: xshardy-opt %s -p xla-gpu-cse | filecheck %s
// RUN: xdsl-opt %s -p xla-gpu-cse | filecheck %s

// Operations that upstream knows to be pure are merged; transfers are values on tensors only.
// CHECK-LABEL: func.func @pure
// CHECK-COUNT-1: gpu.thread_id
// CHECK-COUNT-1: arith.extsi
// CHECK-COUNT-1: vector.transfer_read
// CHECK-NOT:     vector.transfer_read
// CHECK:         return
func.func @pure(%x: i8, %t: tensor<8xf32>, %i: index, %pad: f32)
    -> (index, index, i32, i32, vector<4xf32>, vector<4xf32>) {
  %0 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
  %1 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
  %2 = arith.extsi %x : i8 to i32
  %3 = arith.extsi %x : i8 to i32
  %4 = vector.transfer_read %t[%i], %pad {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
  %5 = vector.transfer_read %t[%i], %pad {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
  func.return %0, %1, %2, %3, %4, %5 : index, index, i32, i32, vector<4xf32>, vector<4xf32>
}

// CHECK-LABEL: func.func @memory
// CHECK:         vector.transfer_read
// CHECK:         vector.transfer_write
// CHECK:         vector.transfer_read
func.func @memory(%m: memref<8xf32>, %i: index, %pad: f32) -> (vector<4xf32>, vector<4xf32>) {
  %0 = vector.transfer_read %m[%i], %pad {in_bounds = [true]} : memref<8xf32>, vector<4xf32>
  vector.transfer_write %0, %m[%i] {in_bounds = [true]} : vector<4xf32>, memref<8xf32>
  %1 = vector.transfer_read %m[%i], %pad {in_bounds = [true]} : memref<8xf32>, vector<4xf32>
  func.return %0, %1 : vector<4xf32>, vector<4xf32>
}
