# Triton comes without types, and is not installed with the project.
# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false
"""
Kernels that only Blackwell has, compiled by Triton without a device, for `tests/differential/ptx_matrix_kernels.py`.

Products of scaled blocks; and in Gluon loads of tensor memory in each shape, unless the capability is 120, whose GPUs
have none: there the products are those of `mma`. NAME.ptx and NAME.json are as those of `triton_hopper.py`, which
compiles the other kernels for Blackwell too.

    python benchmarks/peers/triton_blackwell.py FOLDER [CAPABILITY]
"""

import sys
from pathlib import Path

import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, allocate_tensor_memory
from triton_hopper import compile_to
from triton_ptx import pointers

CAPABILITY = 100
"""Unless the command names another one."""


@triton.jit
def scaled(
    a,
    a_scale,
    b,
    b_scale,
    c,
    columns,
    depth,
    height: tl.constexpr,
    width: tl.constexpr,
    step: tl.constexpr,
    a_type: tl.constexpr,
    b_type: tl.constexpr,
    group: tl.constexpr,
):
    """`a` times `b` transposed, whose rows are read; each `group` numbers of a row have a scale factor."""
    a_pack: tl.constexpr = 2 if a_type == "e2m1" else 1
    b_pack: tl.constexpr = 2 if b_type == "e2m1" else 1
    row = tl.program_id(0) * height + tl.arange(0, height)
    column = tl.program_id(1) * width + tl.arange(0, width)
    of_a, of_b, of_scale = tl.arange(0, step // a_pack), tl.arange(0, step // b_pack), tl.arange(0, step // group)
    total = tl.zeros([height, width], tl.float32)
    for first in range(0, depth, step):
        left = tl.load(a + row[:, None] * (depth // a_pack) + (first // a_pack + of_a)[None, :])
        right = tl.load(b + column[:, None] * (depth // b_pack) + (first // b_pack + of_b)[None, :])
        factors = (first // group + of_scale)[None, :]
        left_scale = tl.load(a_scale + row[:, None] * (depth // group) + factors)
        right_scale = tl.load(b_scale + column[:, None] * (depth // group) + factors)
        total = tl.dot_scaled(left, left_scale, a_type, right.T, right_scale, b_type, total)
    tl.store(c + row[:, None] * columns + column[None, :], total)


@gluon.jit
def reloaded(source, target, width: gl.constexpr, variant: gl.constexpr):
    """Store a matrix of 128 rows to tensor memory, row by row, and load it in another shape."""
    memory = allocate_tensor_memory(gl.float32, [128, width], TensorMemoryLayout([128, width], col_stride=1))
    by_rows: gl.constexpr = memory.get_reg_layout(num_warps=4)
    row = gl.arange(0, 128, gl.SliceLayout(1, by_rows))
    column = gl.arange(0, width, gl.SliceLayout(0, by_rows))
    memory.store(gl.load(source + row[:, None] * width + column[None, :]))
    other: gl.constexpr = memory.get_reg_layout(num_warps=4, instr_variant=variant)
    row = gl.arange(0, 128, gl.SliceLayout(1, other))
    column = gl.arange(0, width, gl.SliceLayout(0, other))
    gl.store(target + row[:, None] * width + column[None, :], memory.load(other))


def factors(a_type: str, b_type: str, group: int) -> tuple:
    """The row of `KERNELS` of a product of scaled blocks."""
    names = {"e4m3": "*fp8e4nv", "e5m2": "*fp8e5", "e2m1": "*u8"}
    scale = "*u8" if group == 32 else "*fp8e4nv"
    types = {"a": names[a_type], "a_scale": scale, "b": names[b_type], "b_scale": scale, "c": "*fp32"}
    constants = {"height": 128, "width": 128, "step": 128, "a_type": a_type, "b_type": b_type, "group": group}
    return scaled, types | {"columns": "i32", "depth": "i32"}, constants, {}


SCALED = {
    "scaled_e4m3": factors("e4m3", "e4m3", 32),
    "scaled_e5m2": factors("e5m2", "e4m3", 32),
    "scaled_mixed": factors("e4m3", "e2m1", 32),
    "scaled_e2m1": factors("e2m1", "e2m1", 32),
    "scaled_nv": factors("e2m1", "e2m1", 16),
}
RELOADED = {
    f"reloaded_{variant}": (reloaded, pointers("source target", "*fp32"), {"width": 64, "variant": variant}, {})
    for variant in ("16x64b", "16x128b", "16x256b")
}
"""Of each kernel, the types of its arguments, its constants, and options."""


if __name__ == "__main__":
    capability = int(sys.argv[2]) if len(sys.argv) > 2 else CAPABILITY
    compile_to(Path(sys.argv[1]), SCALED if capability == 120 else SCALED | RELOADED, capability)
