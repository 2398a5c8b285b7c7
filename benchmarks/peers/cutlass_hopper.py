"""
A matrix product from CUTLASS's building blocks, compiled to PTX by NVRTC without a device, for `ptx_matrix_kernels.py`.

The kernel is ours; its pipeline, its tensor copies and its `wgmma` are CUTLASS's. One warp group loads, two multiply;
with clusters, two blocks load half of B each for both. NVRTC and CUTLASS are packages that match each other:

    pip install nvidia-cutlass==4.2.0.0 "nvidia-cuda-nvrtc<13.1" "nvidia-cuda-runtime<13.1" "nvidia-cuda-cccl<13.1"
    LD_LIBRARY_PATH=.../site-packages/nvidia/cu13/lib python benchmarks/peers/cutlass_hopper.py FOLDER
"""

import json
import sys
from pathlib import Path

from nvrtc import PACKAGES, compiled

KERNEL = """
#include <cuda/std/cstdint>
#include <cute/tensor.hpp>
#include <cute/atom/mma_atom.hpp>
#include <cutlass/cutlass.h>
#include <cutlass/pipeline/sm90_pipeline.hpp>
#include <cutlass/arch/reg_reconfig.h>
using namespace cute;

constexpr int kStages = 3, kRows = 128, kColumns = 128, kDepth = 64;
using Atom = GMMA::Layout_K_SW128_Atom<half_t>;
using OfA = decltype(tile_to_shape(Atom{}, Shape<Int<kRows>, Int<kDepth>, Int<kStages>>{}));
using OfB = decltype(tile_to_shape(Atom{}, Shape<Int<kColumns>, Int<kDepth>, Int<kStages>>{}));
using Pipeline = cutlass::PipelineTmaAsync<kStages>;

struct Shared {
  alignas(1024) half_t a[cosize_v<OfA>];
  alignas(1024) half_t b[cosize_v<OfB>];
  typename Pipeline::SharedStorage pipeline;
};

extern "C" __global__ void CLUSTER __launch_bounds__(384)
gemm(const __grid_constant__ TmaDescriptor map_a, const __grid_constant__ TmaDescriptor map_b, half_t* c, int columns,
     int depth) {
  extern __shared__ __align__(1024) unsigned char raw[];
  Shared& shared = *reinterpret_cast<Shared*>(raw);
  int const group = threadIdx.x / 128;
  typename Pipeline::Params params;
  params.transaction_bytes = (kRows + kColumns) * kDepth * sizeof(half_t);
  params.role = group == 0 ? Pipeline::ThreadCategory::Producer : Pipeline::ThreadCategory::Consumer;
  params.is_leader = threadIdx.x == 0;
  params.num_consumers = 256;
  Pipeline pipeline(shared.pipeline, params, Shape<Int<BLOCKS>, _1, _1>{});
  if constexpr (BLOCKS > 1) {
    cluster_arrive_relaxed();
    cluster_wait();
  } else {
    __syncthreads();
  }
  int const row = blockIdx.x * kRows, column = blockIdx.y * kColumns, steps = depth / kDepth;
  if (group == 0) {
    cutlass::arch::warpgroup_reg_dealloc<40>();
    if (threadIdx.x == 0) {
      auto state = cutlass::make_producer_start_state<Pipeline>();
      for (int step = 0; step < steps; ++step, ++state) {
        pipeline.producer_acquire(state);
        auto* barrier = pipeline.producer_get_barrier(state);
        half_t* b = &shared.b[state.index() * kColumns * kDepth];
        SM90_TMA_LOAD::copy(&map_a, barrier, 0, &shared.a[state.index() * kRows * kDepth], step * kDepth, row);
        if constexpr (BLOCKS > 1) {
          int const first = block_rank_in_cluster() * kColumns / BLOCKS;
          SM90_TMA_LOAD_MULTICAST::copy(
              &map_b, barrier, (1 << BLOCKS) - 1, 0, b + first * kDepth, step * kDepth, column + first);
        } else {
          SM90_TMA_LOAD::copy(&map_b, barrier, 0, b, step * kDepth, column);
        }
      }
      pipeline.producer_tail(state);
    }
    return;
  }
  cutlass::arch::warpgroup_reg_alloc<232>();
  using Product = SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>;
  auto product = make_tiled_mma(Product{}, Layout<Shape<_2, _1, _1>>{});
  auto thread = product.get_thread_slice(threadIdx.x - 128);
  auto a = thread.make_fragment_A(thread.partition_A(make_tensor(make_smem_ptr(shared.a), OfA{})));
  auto b = thread.make_fragment_B(thread.partition_B(make_tensor(make_smem_ptr(shared.b), OfB{})));
  auto tile = make_tensor(make_gmem_ptr(c + row * columns + column), Shape<Int<kRows>, Int<kColumns>>{},
                          make_stride(columns, _1{}));
  auto out = thread.partition_C(tile);
  auto total = thread.make_fragment_C(out);
  clear(total);
  cutlass::PipelineState<kStages> state, released;
  for (int step = 0; step < steps; ++step, ++state) {
    pipeline.consumer_wait(state);
    warpgroup_fence_operand(total);
    warpgroup_arrive();
    gemm(product, a(_, _, _, state.index()), b(_, _, _, state.index()), total);
    warpgroup_commit_batch();
    if (step > 0) {
      warpgroup_wait<1>();
      pipeline.consumer_release(released);
      ++released;
    }
  }
  warpgroup_wait<0>();
  warpgroup_fence_operand(total);
  pipeline.consumer_release(released);
  CUTE_UNROLL
  for (int number = 0; number < size(total); ++number) out(number) = half_t(total(number));
}
"""
SHARED = 3 * 2 * 128 * 64 * 2 + 2 * 3 * 8
"""Bytes: three stages of A and B, and two `mbarrier` objects for each of them."""
VARIANTS = {"cutlass": 1, "cutlass_clusters": 2}
"""The blocks of a cluster by the name of the kernel."""


def kernel_for(blocks: int) -> str:
    """The PTX of the kernel for clusters of so many blocks."""
    cluster = f"__cluster_dims__({blocks}, 1, 1)" if blocks > 1 else ""
    cutlass = PACKAGES / "cutlass_library" / "source" / "include"
    return compiled(KERNEL, [f"-I{cutlass}", "-default-device", f"-DBLOCKS={blocks}", f"-DCLUSTER={cluster}"])


def main(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name, blocks in VARIANTS.items():
        (folder / f"{name}.ptx").write_text(kernel_for(blocks))
        about = {"shared": SHARED, "warps": 12, "scratch": 0, "boxes": [[128, 64], [128 // blocks, 64]]}
        (folder / f"{name}.json").write_text(json.dumps(about))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
