// RUN: xshardy-opt %s --split-input-file -p 'convert-gpu-to-rocdl{chipset=gfx942}' | filecheck %s
// RUN: xshardy-opt %s --split-input-file -p 'convert-gpu-to-rocdl{chipset=gfx1100}' | filecheck %s --check-prefix=WAVE32

module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
  // The range of a register does not include its end.
  // CHECK-LABEL: func.func @every_register
  // CHECK-NEXT:    %0 = rocdl.workitem.id.x range <i32, 0, 128> : i32
  // CHECK:         rocdl.workitem.id.y : i32
  // CHECK:         rocdl.workitem.id.z : i32
  // CHECK:         rocdl.workgroup.id.x : i32
  // CHECK:         rocdl.workgroup.id.y : i32
  // CHECK:         rocdl.workgroup.id.z : i32
  func.func @every_register() -> (index, index, index, index, index, index) {
    %0 = gpu.thread_id x {xla.range = [0 : index, 127 : index]}
    %1 = gpu.thread_id y
    %2 = gpu.thread_id z
    %3 = gpu.block_id x
    %4 = gpu.block_id y
    %5 = gpu.block_id z
    func.return %0, %1, %2, %3, %4, %5 : index, index, index, index, index, index
  }
}

// -----

// CHECK-LABEL:  func.func @lane
// CHECK:          %2 = rocdl.mbcnt.lo %1, %0 : (i32, i32) -> i32
// CHECK-NEXT:     %3 = rocdl.mbcnt.hi %1, %2 : (i32, i32) -> i32
// CHECK-NEXT:     %4 = llvm.zext %3 : i32 to i64
// WAVE32-LABEL: func.func @lane
// WAVE32:         %2 = rocdl.mbcnt.lo %1, %0 : (i32, i32) -> i32
// WAVE32-NEXT:    %3 = llvm.zext %2 : i32 to i64
func.func @lane() -> index {
  %0 = gpu.lane_id
  func.return %0 : index
}

// -----

// CHECK-LABEL: func.func @barrier
// CHECK-NEXT:    llvm.fence syncscope("workgroup") release
// CHECK-NEXT:    rocdl.s.barrier
// CHECK-NEXT:    llvm.fence syncscope("workgroup") acquire
func.func @barrier() {
  gpu.barrier
  func.return
}

// -----

// A lane whose source is in another group reads itself.
// CHECK-LABEL: func.func @down
// CHECK-NEXT:    %0 = llvm.bitcast %arg0 : f32 to i32
// CHECK:         %5 = rocdl.mbcnt.lo
// CHECK-NEXT:    %6 = rocdl.mbcnt.hi
// CHECK-NEXT:    %7 = llvm.sub %1, %arg2 : i32
// CHECK-NEXT:    %8 = llvm.and %6, %7 : i32
// CHECK-NEXT:    %9 = llvm.add %8, %arg2 : i32
// CHECK-NEXT:    %10 = llvm.add %6, %arg1 : i32
// CHECK-NEXT:    %11 = llvm.icmp "sge" %10, %8 : i32
// CHECK-NEXT:    %12 = llvm.icmp "slt" %10, %9 : i32
// CHECK-NEXT:    %13 = llvm.and %11, %12 : i1
// CHECK-NEXT:    %14 = llvm.select %13, %10, %6 : i1, i32
// CHECK-NEXT:    %15 = llvm.shl %14, %2 : i32
// CHECK-NEXT:    %16 = rocdl.ds_bpermute %15, %0 : (i32, i32) -> i32
// CHECK-NEXT:    %17 = llvm.bitcast %16 : i32 to f32
// CHECK-NEXT:    return %17, %13 : f32, i1
func.func @down(%x: f32, %offset: i32, %width: i32) -> (f32, i1) {
  %0, %1 = gpu.shuffle down %x, %offset, %width : f32
  func.return %0, %1 : f32, i1
}

// -----

// CHECK-LABEL: func.func @other_modes
// CHECK:         llvm.sub {{.*}}, %arg1 : i32
// CHECK:         rocdl.ds_bpermute
// CHECK:         %[[BASE:.*]] = llvm.and
// CHECK:         llvm.add %[[BASE]], %arg1 : i32
// CHECK:         rocdl.ds_bpermute
func.func @other_modes(%x: i32, %offset: i32, %width: i32) -> (i32, i32) {
  %0, %1 = gpu.shuffle up %x, %offset, %width : i32
  %2, %3 = gpu.shuffle idx %x, %offset, %width : i32
  func.return %0, %2 : i32, i32
}

// -----

// Constant distances in a whole wave of 64: quads, halves of rows, halves of 32 lanes; an address for the rest.
// CHECK-LABEL:  func.func @exchange
// CHECK:          rocdl.update.dpp %arg0, %arg0 with 177, 15, 15, true : i32
// CHECK:          rocdl.update.dpp %arg0, %arg0 with 78, 15, 15, true : i32
// CHECK:          %[[XOR4:.*]] = llvm.mlir.constant(4127 : i32) : i32
// CHECK:          rocdl.ds_swizzle %arg0, %[[XOR4]] : (i32, i32) -> i32
// CHECK:          rocdl.update.dpp %arg0, %arg0 with 296, 15, 15, true : i32
// CHECK:          %[[XOR16:.*]] = llvm.mlir.constant(16415 : i32) : i32
// CHECK:          rocdl.ds_swizzle %arg0, %[[XOR16]] : (i32, i32) -> i32
// CHECK:          rocdl.ds_bpermute
// 64 lanes are no wave of 32.
// WAVE32-LABEL: func.func @exchange
// WAVE32-NOT:     rocdl.update.dpp
// WAVE32-NOT:     rocdl.ds_swizzle
// WAVE32:         return
func.func @exchange(%x: i32) -> (i32, i32, i32, i32, i32, i32) {
  %width = arith.constant 64 : i32
  %d1 = arith.constant 1 : i32
  %d2 = arith.constant 2 : i32
  %d4 = arith.constant 4 : i32
  %d8 = arith.constant 8 : i32
  %d16 = arith.constant 16 : i32
  %d32 = arith.constant 32 : i32
  %0, %v0 = gpu.shuffle xor %x, %d1, %width : i32
  %1, %v1 = gpu.shuffle xor %x, %d2, %width : i32
  %2, %v2 = gpu.shuffle xor %x, %d4, %width : i32
  %3, %v3 = gpu.shuffle xor %x, %d8, %width : i32
  %4, %v4 = gpu.shuffle xor %x, %d16, %width : i32
  %5, %v5 = gpu.shuffle xor %x, %d32, %width : i32
  func.return %0, %1, %2, %3, %4, %5 : i32, i32, i32, i32, i32, i32
}

// -----

// WAVE32-LABEL: func.func @exchange_of_32
// WAVE32:         rocdl.update.dpp %arg0, %arg0 with 356, 15, 15, true : i32
// WAVE32:         rocdl.update.dpp %arg0, %arg0 with 360, 15, 15, true : i32
// WAVE32:         rocdl.ds_swizzle
func.func @exchange_of_32(%x: i32) -> (i32, i32, i32) {
  %width = arith.constant 32 : i32
  %d4 = arith.constant 4 : i32
  %d8 = arith.constant 8 : i32
  %d16 = arith.constant 16 : i32
  %0, %v0 = gpu.shuffle xor %x, %d4, %width : i32
  %1, %v1 = gpu.shuffle xor %x, %d8, %width : i32
  %2, %v2 = gpu.shuffle xor %x, %d16, %width : i32
  func.return %0, %1, %2 : i32, i32, i32
}

// -----

// Groups of 16 and 32 lanes need no address for a lane further up, if it does not matter whether there is one.

// CHECK-LABEL: func.func @down_in_groups
// CHECK:         %[[X:.*]] = llvm.bitcast %arg0 : f32 to i32
// CHECK:         rocdl.update.dpp %[[X]], %[[X]] with 257, 15, 15, true : i32
// CHECK:         rocdl.update.dpp %{{.*}}, %{{.*}} with 271, 15, 15, true : i32
// CHECK:         %[[XOR16:.*]] = llvm.mlir.constant(16415 : i32) : i32
// CHECK:         rocdl.ds_swizzle %{{.*}}, %[[XOR16]] : (i32, i32) -> i32
// CHECK-NOT:     rocdl.mbcnt.lo
// CHECK:         return
func.func @down_in_groups(%x: f32) -> (f32, f32, f32) {
  %w16 = arith.constant 16 : i32
  %w32 = arith.constant 32 : i32
  %d1 = arith.constant 1 : i32
  %d15 = arith.constant 15 : i32
  %d16 = arith.constant 16 : i32
  %0, %v0 = gpu.shuffle down %x, %d1, %w16 : f32
  %1, %v1 = gpu.shuffle down %x, %d15, %w16 : f32
  %2, %v2 = gpu.shuffle down %x, %d16, %w32 : f32
  func.return %0, %1, %2 : f32, f32, f32
}

// -----

// In a larger group, a lane reads across 16 lanes; and a used validity needs the number of the lane.

// CHECK-LABEL:   func.func @down_by_address
// CHECK-NOT:       rocdl.update.dpp
// CHECK-NOT:       rocdl.ds_swizzle
// CHECK-COUNT-5:   rocdl.ds_bpermute
func.func @down_by_address(%x: i32) -> (i32, i32, i1, i32, i32, i32) {
  %w16 = arith.constant 16 : i32
  %w32 = arith.constant 32 : i32
  %w64 = arith.constant 64 : i32
  %d1 = arith.constant 1 : i32
  %d8 = arith.constant 8 : i32
  %d16 = arith.constant 16 : i32
  %0, %v0 = gpu.shuffle down %x, %d1, %w64 : i32
  %1, %v1 = gpu.shuffle down %x, %d1, %w16 : i32
  %2, %v2 = gpu.shuffle down %x, %d8, %w32 : i32
  %3, %v3 = gpu.shuffle down %x, %d16, %w16 : i32
  %4, %v4 = gpu.shuffle up %x, %d1, %w16 : i32
  func.return %0, %1, %v1, %2, %3, %4 : i32, i32, i1, i32, i32, i32
}
