// RUN: xshardy-opt %s --split-input-file -p convert-gpu-to-nvvm | filecheck %s

module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
  // The range of a register does not include its end.
  // CHECK-LABEL: func.func @ids
  // CHECK-NEXT:    %0 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
  // CHECK-NEXT:    %1 = builtin.unrealized_conversion_cast %0 : i32 to index
  // CHECK-NEXT:    %2 = nvvm.read.ptx.sreg.ctaid.y : i32
  // CHECK-NEXT:    %3 = builtin.unrealized_conversion_cast %2 : i32 to index
  // CHECK-NEXT:    %4 = nvvm.read.ptx.sreg.ntid.z : i32
  func.func @ids() -> (index, index, index) {
    %0 = gpu.thread_id x {xla.range = [0 : index, 127 : index]}
    %1 = gpu.block_id y
    %2 = gpu.block_dim z
    func.return %0, %1, %2 : index, index, index
  }
}

// -----

module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
  // CHECK-LABEL: func.func @every_register
  // CHECK:         nvvm.read.ptx.sreg.tid.x : i32
  // CHECK:         nvvm.read.ptx.sreg.tid.y : i32
  // CHECK:         nvvm.read.ptx.sreg.tid.z : i32
  // CHECK:         nvvm.read.ptx.sreg.ctaid.x : i32
  // CHECK:         nvvm.read.ptx.sreg.ctaid.y : i32
  // CHECK:         nvvm.read.ptx.sreg.ctaid.z : i32
  // CHECK:         nvvm.read.ptx.sreg.ntid.x : i32
  // CHECK:         nvvm.read.ptx.sreg.ntid.y : i32
  // CHECK:         nvvm.read.ptx.sreg.ntid.z : i32
  // CHECK:         nvvm.read.ptx.sreg.nctaid.x : i32
  // CHECK:         nvvm.read.ptx.sreg.nctaid.y : i32
  // CHECK:         nvvm.read.ptx.sreg.nctaid.z : i32
  func.func @every_register() {
    %thread_id_x = gpu.thread_id x
    %thread_id_y = gpu.thread_id y
    %thread_id_z = gpu.thread_id z
    %block_id_x = gpu.block_id x
    %block_id_y = gpu.block_id y
    %block_id_z = gpu.block_id z
    %block_dim_x = gpu.block_dim x
    %block_dim_y = gpu.block_dim y
    %block_dim_z = gpu.block_dim z
    %grid_dim_x = gpu.grid_dim x
    %grid_dim_y = gpu.grid_dim y
    %grid_dim_z = gpu.grid_dim z
    func.return
  }
}

// -----

// CHECK-LABEL: func.func @wide_index
// CHECK-NEXT:    %0 = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK-NEXT:    %1 = llvm.zext %0 : i32 to i64
func.func @wide_index() -> index {
  %0 = gpu.block_id x
  func.return %0 : index
}

// -----

// CHECK-LABEL: func.func @barrier
// CHECK-NEXT:    nvvm.barrier0
func.func @barrier() {
  gpu.barrier
  func.return
}

// -----

// CHECK-LABEL: func.func @shuffle
// CHECK-NEXT:    %0 = llvm.mlir.constant(32 : i32) : i32
// CHECK-NEXT:    %1 = llvm.mlir.constant(-1 : i32) : i32
// CHECK-NEXT:    %2 = llvm.sub %0, %arg2 : i32
// CHECK-NEXT:    %3 = llvm.lshr %1, %2 : i32
// CHECK-NEXT:    %4 = llvm.mlir.constant(1 : i32) : i32
// CHECK-NEXT:    %5 = llvm.sub %arg2, %4 : i32
// CHECK-NEXT:    %6 = nvvm.shfl.sync down %3, %arg0, %arg1, %5 {return_value_and_is_valid} : f32 -> !llvm.struct<(f32, i1)>
// CHECK-NEXT:    %7 = llvm.extractvalue %6[0] : !llvm.struct<(f32, i1)>
// CHECK-NEXT:    %8 = llvm.extractvalue %6[1] : !llvm.struct<(f32, i1)>
// CHECK-NEXT:    return %7, %8 : f32, i1
func.func @shuffle(%x: f32, %offset: i32, %width: i32) -> (f32, i1) {
  %0, %valid = gpu.shuffle down %x, %offset, %width : f32
  func.return %0, %valid : f32, i1
}

// -----

// CHECK-LABEL: func.func @grid
// CHECK:         nvvm.read.ptx.sreg.nctaid.x
// CHECK:         nvvm.read.ptx.sreg.nctaid.y
// CHECK:         nvvm.read.ptx.sreg.nctaid.z
func.func @grid() -> (index, index, index) {
  %0 = gpu.grid_dim x
  %1 = gpu.grid_dim y
  %2 = gpu.grid_dim z
  func.return %0, %1, %2 : index, index, index
}
