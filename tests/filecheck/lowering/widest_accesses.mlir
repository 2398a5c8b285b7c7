// RUN: xshardy-opt %s -p 'xla-gpu-codegen-pipeline{target=sm_100}' -t ptx | filecheck %s
// RUN: xshardy-opt %s -p 'xla-gpu-codegen-pipeline{target=sm_90}' -t ptx | filecheck %s --check-prefix=BEFORE

// Where buffers are aligned to 32 bytes, one instruction of Blackwell loads or stores 256 bits.

// CHECK:  ld.global.nc.v4.b64
// CHECK:  st.global.v4.b64
// BEFORE: ld.global.nc.v4.b32
// BEFORE: ld.global.nc.v4.b32
// BEFORE: st.global.v4.b32
// BEFORE: st.global.v4.b32
func.func @main(%x: tensor<1024xf32> {xla.slice_index = 0 : index, xla.invariant, llvm.align = 256 : i64},
                %y: tensor<1024xf32> {xla.slice_index = 1 : index, llvm.align = 256 : i64})
    -> tensor<1024xf32> attributes {xla.entry, gpu.known_block_size = array<i32: 128, 1, 1>, gpu.known_grid_size = array<i32: 1, 1, 1>} {
  %i = gpu.thread_id x {xla.range = [0 : index, 127 : index]}
  %begin = arith.constant 0 : index
  %end = arith.constant 8 : index
  %step = arith.constant 1 : index
  %0 = scf.for %j = %begin to %end step %step iter_args(%out = %y) -> (tensor<1024xf32>) {
    %k = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0)[s0] -> (d0 * 8 + s0), domain: d0 in [0, 127], s0 in [0, 7]">(%i)[%j]
    %1 = tensor.extract %x[%k] : tensor<1024xf32>
    %2 = tensor.insert %1 into %out[%k] : tensor<1024xf32>
    scf.yield %2 : tensor<1024xf32>
  }
  func.return %0 : tensor<1024xf32>
}
