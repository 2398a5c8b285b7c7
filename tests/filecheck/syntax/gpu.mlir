// RUN: xshardy-opt %s | filecheck %s --strict-whitespace
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s --strict-whitespace

// CHECK-LABEL: func.func @ids
// CHECK-NEXT:{{^}}    %thread_id_x = gpu.thread_id x {xla.range = [0 : index, 127 : index]}
// CHECK-NEXT:{{^}}    %block_id_y = gpu.block_id y
// CHECK-NEXT:{{^}}    %block_dim_z = gpu.block_dim z
// CHECK-NEXT:{{^}}    %grid_dim_x = gpu.grid_dim x
// CHECK-NEXT:{{^}}    %0 = gpu.lane_id
// CHECK-NEXT:{{^}}    gpu.barrier
// CHECK-NEXT:{{^}}    %shuffleResult, %valid = gpu.shuffle down %arg0, %arg1, %arg1 : f32
func.func @ids(%x: f32, %n: i32) {
  %0 = gpu.thread_id x {xla.range = [0 : index, 127 : index]}
  %1 = gpu.block_id y
  %2 = gpu.block_dim z
  %3 = gpu.grid_dim x
  %4 = gpu.lane_id
  gpu.barrier
  %5, %6 = gpu.shuffle down %x, %n, %n : f32
  return
}
