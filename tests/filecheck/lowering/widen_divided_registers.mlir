// RUN: xshardy-opt %s --split-input-file -p xla-gpu-widen-divided-registers | filecheck %s

// LLVM narrows divisions of few bits, so the range of a register that is divided is any. Shifts stay what they are.

// CHECK-LABEL: llvm.func @divided
// CHECK:         %{{.*}} = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
// CHECK:         %{{.*}} = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 2147483647> : i32
// CHECK:         %{{.*}} = nvvm.read.ptx.sreg.ctaid.y range <i32, 0, 2147483647> : i32
llvm.func @divided() -> i32 {
  %c6 = llvm.mlir.constant(6 : i32) : i32
  %c32 = llvm.mlir.constant(32 : i32) : i32
  %0 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
  %1 = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 480> : i32
  %2 = nvvm.read.ptx.sreg.ctaid.y range <i32, 0, 100000> : i32
  %3 = llvm.udiv %0, %c32 : i32
  %4 = llvm.udiv %1, %c6 : i32
  %5 = llvm.urem %2, %4 : i32
  %6 = llvm.add %3, %5 : i32
  llvm.return %6 : i32
}

// -----

// The same for a register that is a part of what is divided, here of the number of a thread in the grid, if that has 16 bits
// at most; not for one that is part of a difference, or of a sum that is only shifted.

// CHECK-LABEL: llvm.func @divided_sum
// CHECK:         %{{.*}} = nvvm.read.ptx.sreg.tid.x range <i32, 0, 2147483647> : i32
// CHECK:         %{{.*}} = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 2147483647> : i32
// CHECK:         %{{.*}} = nvvm.read.ptx.sreg.ctaid.y range <i32, 0, 480> : i32
llvm.func @divided_sum() -> i32 {
  %c6 = llvm.mlir.constant(6 : i32) : i32
  %c128 = llvm.mlir.constant(128 : i32) : i32
  %0 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
  %1 = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 480> : i32
  %2 = nvvm.read.ptx.sreg.ctaid.y range <i32, 0, 480> : i32
  %3 = llvm.mul %1, %c128 : i32
  %4 = llvm.add %3, %0 : i32
  %5 = llvm.udiv %4, %c6 : i32
  %6 = llvm.add %2, %c6 : i32
  %7 = llvm.udiv %6, %c128 : i32
  %8 = llvm.sub %c6, %2 : i32
  %9 = llvm.urem %8, %c6 : i32
  %10 = llvm.add %5, %7 : i32
  %11 = llvm.add %10, %9 : i32
  llvm.return %11 : i32
}

// -----

// CHECK-LABEL: llvm.func @divided_sum_of_more_bits
// CHECK:         %{{.*}} = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
// CHECK:         %{{.*}} = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 513> : i32
llvm.func @divided_sum_of_more_bits() -> i32 {
  %c6 = llvm.mlir.constant(6 : i32) : i32
  %c128 = llvm.mlir.constant(128 : i32) : i32
  %0 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
  %1 = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 513> : i32
  %2 = llvm.mul %1, %c128 : i32
  %3 = llvm.add %2, %0 : i32
  %4 = llvm.udiv %3, %c6 : i32
  llvm.return %4 : i32
}

// -----

// The range of a block number that is divided ends at `MAX_GRID`, the largest number of blocks along a dimension of a grid.
// CHECK-LABEL: llvm.func @grid
// CHECK:         %{{.*}} = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 2147483647> : i32
llvm.func @grid() -> i32 {
  %0 = nvvm.read.ptx.sreg.ctaid.x range <i32, 0, 12> : i32
  %1 = llvm.mlir.constant(3 : i32) : i32
  %2 = llvm.udiv %0, %1 : i32
  llvm.return %2 : i32
}
