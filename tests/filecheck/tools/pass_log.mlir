// RUN: xshardy-opt %S/Inputs/kernel.mlir-passes.log | filecheck %s --check-prefix=ALL
// RUN: xshardy-opt %S/Inputs/kernel.mlir-passes.log | xshardy-opt | filecheck %s --check-prefix=ALL
// RUN: xshardy-opt %S/Inputs/kernel.mlir-passes.log --list-stages | filecheck %s --check-prefix=LIST
// RUN: xshardy-opt %S/Inputs/kernel.mlir-passes.log --stage cse -p cse | filecheck %s --check-prefix=CSE
// RUN: xshardy-opt %S/Inputs/kernel.mlir-passes.log --stage CSEPass -p cse | filecheck %s --check-prefix=CSE
// RUN: xshardy-opt %S/Inputs/kernel.mlir-passes.log --stage 2 -p cse | filecheck %s --check-prefix=CSE
// RUN: xshardy-opt %S/Inputs/kernel.mlir-passes.log --stage xla-gpu-simplify-arith | filecheck %s --check-prefix=FIRST
// RUN: xshardy-opt %S/Inputs/kernel.mlir-passes.log --stage last | filecheck %s --check-prefix=LAST

// ALL-NOT:   any(
// ALL:       // -----// IR Dump Before SimplifyArithPass: xla-simplify-arith{fast_min_max=false} ('func.func' operation: @f) //----- //
// ALL-NEXT:  #indexing_map = #xla_gpu.indexing_map<"(d0) -> (d0 * 2), domain: d0 in [0, 3]">
// ALL:       // -----// IR Dump Before CSEPass: cse ('builtin.module' operation) //----- //
// ALL:       %c2_0 = arith.constant 2 : index
// ALL:       // -----// IR Dump Before LowerToLLVMGPUPass
// ALL:       nvvm.barrier

// LIST:      1 before xla-simplify-arith SimplifyArithPass
// LIST-NEXT: 2 before cse CSEPass
// LIST-NEXT: 3 before xla-lower-to-llvm-gpu LowerToLLVMGPUPass

// CSE-NOT:   -----
// CSE:       %c2 = arith.constant 2 : index
// CSE-NEXT:  %0 = arith.muli %arg0, %c2 : index
// CSE-NOT:   barrier

// FIRST-NOT: -----
// FIRST:     xla_gpu.apply_indexing
// FIRST-NOT: -----

// LAST-NOT:  index
// LAST:      nvvm.barrier
