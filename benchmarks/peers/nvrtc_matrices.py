"""
Matrix products in CUDA C++, by `nvcuda::wmma` and by sparse `mma`, compiled to PTX by NVRTC without a device, for
`ptx_matrix_kernels.py`.

    pip install "nvidia-cuda-nvrtc<13.1" "nvidia-cuda-runtime<13.1" "nvidia-cuda-cccl<13.1" "nvidia-cuda-crt<13.1"
    LD_LIBRARY_PATH=.../site-packages/nvidia/cu13/lib python benchmarks/peers/nvrtc_matrices.py FOLDER
"""

import json
import sys
from pathlib import Path

from nvrtc import compiled

WMMA = """
#include <mma.h>
using namespace nvcuda;

constexpr int kRows = 64, kColumns = 64, kDepth = 32, kPad = 16 / sizeof(ELEMENT);

// A block of 4 warps computes 64 by 64 elements, a warp 32 by 32. A is by rows; B too, or by columns.
extern "C" __global__ void __launch_bounds__(128)
gemm(ELEMENT const* a, ELEMENT const* b, RESULT* c, int columns, int depth) {
  __shared__ __align__(32) ELEMENT of_a[kRows][kDepth + 2 * kPad];
  __shared__ __align__(32) ELEMENT of_b[kColumns][kDepth + 2 * kPad];
  int const row = blockIdx.x * kRows, column = blockIdx.y * kColumns, warp = threadIdx.x / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, RESULT> sums[2][2];
  for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j) wmma::fill_fragment(sums[i][j], RESULT(0));
  for (int start = 0; start < depth; start += kDepth) {
    for (int at = threadIdx.x; at < kRows * kDepth; at += 128) {
      of_a[at / kDepth][at % kDepth] = a[(row + at / kDepth) * depth + start + at % kDepth];
      of_b[at / kDepth][at % kDepth] = b[(column + at / kDepth) * depth + start + at % kDepth];
    }
    __syncthreads();
    for (int step = 0; step < kDepth; step += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, ELEMENT, wmma::row_major> left[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, ELEMENT, wmma::col_major> right[2];
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(left[i], &of_a[warp / 2 * 32 + i * 16][step], kDepth + 2 * kPad);
        wmma::load_matrix_sync(right[i], &of_b[warp % 2 * 32 + i * 16][step], kDepth + 2 * kPad);
      }
      for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j)
        wmma::mma_sync(sums[i][j], left[i], right[j], sums[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j)
    wmma::store_matrix_sync(c + (row + warp / 2 * 32 + i * 16) * columns + column + warp % 2 * 32 + j * 16, sums[i][j],
                            columns, wmma::mem_row_major);
}
"""

SPARSE = """
#include <cuda_fp16.h>

// A warp computes 16 by 8 elements. Of each four elements of a row of A two are stored; `codes` has four bits for them.
extern "C" __global__ void __launch_bounds__(32)
gemm(unsigned const* a, unsigned short const* codes, unsigned const* b, float* c, int columns, int depth) {
  int const row = blockIdx.x * 16 + threadIdx.x / 4, column = blockIdx.y * 8 + threadIdx.x / 4, t = threadIdx.x % 4;
  float sums[4] = {};
  for (int start = 0; start < depth; start += 32) {
    unsigned left[4], right[4];
    for (int r = 0; r < 4; ++r) {
      left[r] = a[((row + r % 2 * 8) * (depth / 2) + start / 2 + r / 2 * 8) / 2 + t];
      right[r] = b[(column * depth + start + r * 8) / 2 + t];
    }
    unsigned short const* chunk = codes + row * (depth / 16) + start / 16 + t % 2;
    unsigned const metadata = chunk[0] | unsigned(chunk[8 * (depth / 16)]) << 16;
    asm volatile(
        "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 0x0;"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]), "r"(right[2]),
          "r"(right[3]), "r"(metadata));
  }
  for (int number = 0; number < 4; ++number)
    c[(row + number / 2 * 8) * columns + blockIdx.y * 8 + t * 2 + number % 2] = sums[number];
}
"""
KERNELS = {
    "wmma_f16": (WMMA, 4, ("-DELEMENT=half", "-DRESULT=float", "-include=cuda_fp16.h")),
    "wmma_s8": (WMMA, 4, ("-DELEMENT=signed char", "-DRESULT=int")),
    "sparse": (SPARSE, 1, ()),
}
"""The source by the name of the kernel, its warps, and what its macros are."""


def main(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name, (source, warps, macros) in KERNELS.items():
        (folder / f"{name}.ptx").write_text(compiled(source, macros))
        (folder / f"{name}.json").write_text(json.dumps({"shared": 0, "warps": warps, "scratch": 0}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
