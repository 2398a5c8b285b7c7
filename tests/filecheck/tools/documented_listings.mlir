// The listings of the emitters' documentation (XGPU-31 to XGPU-37 and XGPU-40), as they stand there, in plain xdsl-opt.
// RUN: xdsl-opt %S/../../numerics/Inputs/gelu_converted.mlir | filecheck %s --check-prefix=CONVERTED
// RUN: xdsl-opt %S/../../numerics/Inputs/gelu_converted.mlir | xdsl-opt | filecheck %s --check-prefix=CONVERTED
// RUN: xdsl-opt %S/../../numerics/Inputs/gelu_inlined.mlir | filecheck %s --check-prefix=INLINED
// RUN: xdsl-opt %S/../../numerics/Inputs/gelu_scf.mlir | filecheck %s --check-prefix=SCF
// RUN: xdsl-opt %S/../../numerics/Inputs/gelu_flattened.mlir | filecheck %s --check-prefix=FLATTENED
// RUN: xdsl-opt %S/../../numerics/Inputs/gelu_vectorized.mlir | filecheck %s --check-prefix=VECTORIZED
// RUN: xdsl-opt %S/../../numerics/Inputs/gelu_vectorized.mlir | xdsl-opt | filecheck %s --check-prefix=VECTORIZED
// RUN: xdsl-opt %S/../../numerics/Inputs/gelu_unrolled.mlir | filecheck %s --check-prefix=UNROLLED
// RUN: xdsl-opt %S/../../numerics/Inputs/gelu_llvm.mlir | filecheck %s --check-prefix=LLVM
// RUN: xdsl-opt %S/../../numerics/Inputs/transpose.mlir | filecheck %s --check-prefix=TRANSPOSE
// RUN: xdsl-opt %S/../../numerics/Inputs/transpose.mlir | xdsl-opt | filecheck %s --check-prefix=TRANSPOSE

// CONVERTED:      gpu.thread_id
// CONVERTED-SAME: xla.range = [0 : index, 127 : index]
// CONVERTED:      gpu.block_id
// CONVERTED:      xla_gpu.loop (%{{.*}}, %{{.*}})[%{{.*}}] -> (%{{.*}}, %{{.*}}, %{{.*}}) in #xla_gpu.indexing_map<
// CONVERTED:      xla_gpu.pure_call @gelu(
// CONVERTED:      func.func private @gelu(

// INLINED:        xla_gpu.loop
// INLINED:        math.tanh

// SCF:            scf.for
// SCF:            scf.if
// SCF-COUNT-3:    xla_gpu.apply_indexing #xla_gpu.indexing_map<

// FLATTENED:      tensor.extract %{{.*}}[%{{.*}}] : tensor<12582912xbf16>

// VECTORIZED:     vector.transfer_read
// VECTORIZED:     vector.transfer_write

// UNROLLED-COUNT-4: math.tanh
// UNROLLED-NOT:     math.tanh

// LLVM:           llvm.func @__nv_tanhf
// LLVM:           nvvm.read.ptx.sreg.tid.x
// LLVM-COUNT-4:   llvm.call @__nv_tanhf

// TRANSPOSE:      xla_gpu.allocate_shared
// TRANSPOSE:      xla_gpu.loop
// TRANSPOSE:      xla_gpu.sync_threads
// TRANSPOSE:      xla_gpu.loop
