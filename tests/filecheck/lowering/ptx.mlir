// RUN: xshardy-opt %s -p xla-gpu-lower-to-llvm -t ptx | filecheck %s
// RUN: xshardy-opt %s -p xla-gpu-lower-to-llvm -t 'ptx{target=sm_70}' | filecheck %s --check-prefix=VOLTA

// CHECK:       .target sm_90
// CHECK:       .visible .entry fusion_1(
// CHECK-NEXT:    .param .u64 .ptr .align 16 fusion_1_param_0,
// CHECK-NEXT:    .param .u64 .ptr .align 256 fusion_1_param_1
// CHECK-NEXT:  )
// CHECK-NEXT:  .reqntid 128, 1, 1
// CHECK:       ld.global.nc.v2.b32
// CHECK:       mul.rn.bf16x2
// CHECK:       st.global.v2.b32
// CHECK-NOT:   ld.global.b

// The target has no bf16 arithmetic: LLVM does it in f32, and rounds.
// VOLTA:       .target sm_70
// VOLTA:       mul.rn.f32
module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
  func.func @fusion.1(
      %in: !llvm.ptr {llvm.align = 16, llvm.dereferenceable = 25165824, llvm.noalias, xla.invariant, xla.slice_index = 0},
      %out: !llvm.ptr {llvm.align = 256, llvm.dereferenceable = 25165824, llvm.noalias, xla.slice_index = 1}
  ) attributes {xla.entry, gpu.known_block_size = array<i32: 128, 1, 1>, gpu.known_grid_size = array<i32: 24576, 1, 1>} {
    %c4 = arith.constant 4 : i32
    %c512 = arith.constant 512 : i32
    %thread = gpu.thread_id x {xla.range = [0 : index, 127 : index]}
    %block = gpu.block_id x {xla.range = [0 : index, 24575 : index]}
    %t = arith.index_cast %thread : index to i32
    %b = arith.index_cast %block : index to i32
    %0 = arith.muli %t, %c4 : i32
    %1 = arith.muli %b, %c512 : i32
    %2 = arith.addi %0, %1 : i32
    %3 = llvm.getelementptr inbounds %in[%2] : (!llvm.ptr, i32) -> !llvm.ptr, bf16
    %4 = llvm.load %3 invariant : !llvm.ptr -> vector<4xbf16>
    %5 = arith.mulf %4, %4 : vector<4xbf16>
    %6 = llvm.getelementptr inbounds %out[%2] : (!llvm.ptr, i32) -> !llvm.ptr, bf16
    llvm.store %5, %6 : vector<4xbf16>, !llvm.ptr
    func.return
  }
}
