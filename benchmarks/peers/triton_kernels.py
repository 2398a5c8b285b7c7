# Triton and torch come without types, and only where there is a GPU.
# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false
"""
Fusions of the corpus written by hand in Triton, for `benchmarks/gpu.py`: their times, the best of several tilings.

Importing this module raises `ImportError` where torch or Triton is missing.
"""

from collections.abc import Callable, Mapping

import torch
import triton
import triton.language as tl
from triton.testing import do_bench

WARPS = (1, 2, 4, 8, 16)
SIZES = (256, 512, 1024, 2048, 4096)


@triton.jit
def gelu(x, y, size, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    v = tl.load(x + at, at < size)
    inner = (v + v * v * v * 0.04468).to(tl.float32) * 0.7969
    tanh = 2.0 / (1.0 + tl.exp(-2.0 * inner)) - 1.0
    tl.store(y + at, (v * ((tanh + 1.0) * 0.5).to(v.dtype)).to(v.dtype), at < size)


@triton.jit
def silu_mul(x, gate, y, size, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    v, g = tl.load(x + at, at < size), tl.load(gate + at, at < size)
    tl.store(y + at, v * g / (1.0 + tl.exp(-g)), at < size)


@triton.jit
def row_sum_of_squares(x, y, width, block: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([block], tl.float32)
    for start in range(0, width, block):
        at = start + tl.arange(0, block)
        v = tl.load(x + row * width + at, at < width, 0.0).to(tl.float32)
        total += v * v
    tl.store(y + row, tl.sum(total, 0))


@triton.jit
def column_sum(x, y, height, width, rows: tl.constexpr, block: tl.constexpr):
    column = tl.program_id(0) * block + tl.arange(0, block)
    total = tl.zeros([rows, block], tl.float32)
    for start in range(0, height, rows):
        row = start + tl.arange(0, rows)
        total += tl.load(x + row[:, None] * width + column[None, :])
    tl.store(y + column, tl.sum(total, 0))


@triton.jit
def exponential_transpose(x, y, height, width, block: tl.constexpr):
    row = tl.program_id(0) * block + tl.arange(0, block)
    column = tl.program_id(1) * block + tl.arange(0, block)
    tile = tl.exp(tl.load(x + row[:, None] * width + column[None, :]))
    tl.store(y + column[:, None] * height + row[None, :], tile.T)


def _elementwise(kernel: Callable, shape: tuple[int, ...], dtype: torch.dtype, operands: int) -> float:
    tensors = [torch.randn(shape, device="cuda").to(dtype) for _ in range(operands + 1)]
    size = tensors[0].numel()
    return _best(
        lambda block, warps: kernel[(triton.cdiv(size, block),)](*tensors, size, block=block, num_warps=warps), SIZES
    )


def _rows(shape: tuple[int, int], dtype: torch.dtype) -> float:
    x, y = torch.randn(shape, device="cuda").to(dtype), torch.empty(shape[0], device="cuda")
    return _best(
        lambda block, warps: row_sum_of_squares[(shape[0],)](x, y, shape[1], block=block, num_warps=warps), SIZES
    )


def _columns(height: int, width: int) -> float:
    x, y = torch.randn((height, width), device="cuda"), torch.empty(width, device="cuda")

    def run(block: int, warps: int) -> None:
        column_sum[(width // block,)](x, y, height, width, rows=32 * 64 // block, block=block, num_warps=warps)

    return _best(run, (16, 32, 64))


def _transpose(height: int, width: int) -> float:
    x, y = torch.randn((height, width), device="cuda"), torch.empty((width, height), device="cuda")

    def run(block: int, warps: int) -> None:
        grid = (height // block, width // block)
        exponential_transpose[grid](x, y, height, width, block=block, num_warps=warps)

    return _best(run, (32, 64, 128))


def _best(run: Callable[[int, int], object], blocks: tuple[int, ...]) -> float:
    """The shortest median time in seconds over tilings; `run` takes the size of a tile and a number of warps."""
    times = (do_bench(lambda: run(block, warps), return_mode="median") for block in blocks for warps in WARPS)  # noqa: B023
    return min(times) / 1000


COUNTERPARTS: Mapping[str, Callable[[], float]] = {
    "gelu_bf16.loop_multiply_fusion": lambda: _elementwise(gelu, (6, 512, 4096), torch.bfloat16, 1),
    "silu_mul_f32_odd.loop_multiply_fusion": lambda: _elementwise(silu_mul, (1023, 333), torch.float32, 2),
    "row_sum_f32.input_reduce_fusion": lambda: _rows((4096, 4096), torch.float32),
    "rmsnorm_bf16.input_reduce_fusion": lambda: _rows((2048, 4096), torch.bfloat16),
    "column_sum_f32.input_reduce_fusion": lambda: _columns(4096, 4096),
    "transpose_10_f32.input_transpose_fusion": lambda: _transpose(2048, 1536),
}
"""The fusion of the corpus that each kernel computes, and its time in seconds."""
