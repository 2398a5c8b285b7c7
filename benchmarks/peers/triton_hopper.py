# Triton comes without types, and is not installed with the project.
# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false
"""
Kernels that Triton compiles for Hopper or Blackwell without a device, for `tests/differential/ptx_matrix_kernels.py`.

Matrix products by `wgmma` or `tcgen05` of every type, with and without tensor copies, by persistent and specialized
warps, of groups and in clusters; attention with and without tensor copies. For each, NAME.ptx, and NAME.json with its
bytes of shared memory, warps, and the bytes that each block needs for tensor maps.

    python benchmarks/peers/triton_hopper.py FOLDER [CAPABILITY]

The capability is 90, unless it is given as 100 or 120.
"""

import json
import sys
from pathlib import Path

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.experimental.gluon._runtime import GluonASTSource, GluonJITFunction
from triton_ptx import matmul, pointers

CAPABILITY = 90
"""Unless the command names another one."""


@triton.jit
def matmul_of_rows(a, b, c, columns, depth, height: tl.constexpr, width: tl.constexpr, step: tl.constexpr):
    """`a` times `b` transposed, whose rows are read."""
    row = tl.program_id(0) * height + tl.arange(0, height)
    column = tl.program_id(1) * width + tl.arange(0, width)
    inner = tl.arange(0, step)
    total = tl.zeros([height, width], tl.int32 if c.dtype.element_ty == tl.int32 else tl.float32)
    for first in range(0, depth, step):
        left = tl.load(a + row[:, None] * depth + (first + inner)[None, :])
        right = tl.load(b + column[:, None] * depth + (first + inner)[None, :])
        total = tl.dot(left, right.T, total)
    tl.store(c + row[:, None] * columns + column[None, :], total.to(c.dtype.element_ty))


@triton.jit
def matmul_of_maps(a, b, c, depth, height: tl.constexpr, width: tl.constexpr, step: tl.constexpr):
    """The same, with tensor maps of the host."""
    row, column = tl.program_id(0) * height, tl.program_id(1) * width
    total = tl.zeros([height, width], tl.float32)
    for first in range(0, depth, step):
        total = tl.dot(a.load([row, first]), b.load([column, first]).T, total)
    c.store([row, column], total.to(c.dtype))


@triton.jit
def persistent(
    a,
    b,
    c,
    rows,
    columns,
    depth,
    programs,
    height: tl.constexpr,
    width: tl.constexpr,
    step: tl.constexpr,
    specialized: tl.constexpr,
):
    """The same, with tensor maps of the device; each program computes several tiles."""
    of_a = tl.make_tensor_descriptor(a, [rows, depth], [depth, 1], [height, step])
    of_b = tl.make_tensor_descriptor(b, [columns, depth], [depth, 1], [width, step])
    of_c = tl.make_tensor_descriptor(c, [rows, columns], [columns, 1], [height, width])
    across = tl.cdiv(columns, width)
    tiles = tl.cdiv(rows, height) * across
    for tile in tl.range(tl.program_id(0), tiles, programs, flatten=True, warp_specialize=specialized):
        row, column = tile // across * height, tile % across * width
        total = tl.zeros([height, width], tl.float32)
        for number in range(tl.cdiv(depth, step)):
            total = tl.dot(of_a.load([row, number * step]), of_b.load([column, number * step]).T, total)
        of_c.store([row, column], total.to(c.dtype.element_ty))


@triton.jit
def grouped(a, b, c, sizes, count, programs, height: tl.constexpr, width: tl.constexpr, step: tl.constexpr):
    """Products of `count` pairs of matrices of different sizes, with tensor maps made for each of them."""
    last = 0
    tile = tl.program_id(0)
    for group in range(count):
        rows, columns, depth = (
            tl.load(sizes + group * 6),
            tl.load(sizes + group * 6 + 1),
            tl.load(sizes + group * 6 + 2),
        )
        left, right = a + tl.load(sizes + group * 6 + 3) * 64, b + tl.load(sizes + group * 6 + 4) * 64
        result = c + tl.load(sizes + group * 6 + 5) * 64
        across = tl.cdiv(columns, width)
        tiles = tl.cdiv(rows, height) * across
        if tile < last + tiles:
            of_a = tl.make_tensor_descriptor(left, [rows, depth], [depth, 1], [height, step])
            of_b = tl.make_tensor_descriptor(right, [columns, depth], [depth, 1], [width, step])
            of_c = tl.make_tensor_descriptor(result, [rows, columns], [columns, 1], [height, width])
            while tile < last + tiles:
                row, column = (tile - last) // across * height, (tile - last) % across * width
                total = tl.zeros([height, width], tl.float32)
                for number in range(tl.cdiv(depth, step)):
                    total = tl.dot(of_a.load([row, number * step]), of_b.load([column, number * step]).T, total)
                of_c.store([row, column], total.to(c.dtype.element_ty))
                tile += programs
        last += tiles


@triton.jit
def attention(
    q, k, v, out, length, scale, height: tl.constexpr, width: tl.constexpr, size: tl.constexpr, causal: tl.constexpr
):
    """Softmax of `q` times `k` transposed, times `v`, by blocks of keys; `scale` is for powers of two."""
    start, head = tl.program_id(0) * height, tl.program_id(1) * length * size
    row, column, inner = start + tl.arange(0, height), tl.arange(0, width), tl.arange(0, size)
    query = tl.load(q + head + row[:, None] * size + inner[None, :])
    largest = tl.full([height], float("-inf"), tl.float32)
    norm = tl.zeros([height], tl.float32)
    total = tl.zeros([height, size], tl.float32)
    for first in range(0, start + height if causal else length, width):
        keys = tl.load(k + head + (first + column)[:, None] * size + inner[None, :])
        scores = tl.dot(query, keys.T) * scale
        if causal:
            scores = tl.where(row[:, None] >= (first + column)[None, :], scores, float("-inf"))
        higher = tl.maximum(largest, tl.max(scores, 1))
        powers, factor = tl.math.exp2(scores - higher[:, None]), tl.math.exp2(largest - higher)
        norm = norm * factor + tl.sum(powers, 1)
        values = tl.load(v + head + (first + column)[:, None] * size + inner[None, :])
        total = tl.dot(powers.to(values.dtype), values, total * factor[:, None])
        largest = higher
    tl.store(out + head + row[:, None] * size + inner[None, :], (total / norm[:, None]).to(out.dtype.element_ty))


@triton.jit
def attention_of_maps(
    q,
    k,
    v,
    out,
    heads,
    length,
    scale,
    height: tl.constexpr,
    width: tl.constexpr,
    size: tl.constexpr,
    specialized: tl.constexpr,
):
    """The same with tensor maps of the device."""
    rows = heads * length
    of_q = tl.make_tensor_descriptor(q, [rows, size], [size, 1], [height, size])
    of_k = tl.make_tensor_descriptor(k, [rows, size], [size, 1], [width, size])
    of_v = tl.make_tensor_descriptor(v, [rows, size], [size, 1], [width, size])
    of_out = tl.make_tensor_descriptor(out, [rows, size], [size, 1], [height, size])
    head, start = tl.program_id(1) * length, tl.program_id(0) * height
    query = of_q.load([head + start, 0])
    largest = tl.full([height], float("-inf"), tl.float32)
    norm = tl.zeros([height], tl.float32)
    total = tl.zeros([height, size], tl.float32)
    for first in tl.range(0, length, width, warp_specialize=specialized):
        scores = tl.dot(query, of_k.load([head + first, 0]).T) * scale
        higher = tl.maximum(largest, tl.max(scores, 1))
        powers, factor = tl.math.exp2(scores - higher[:, None]), tl.math.exp2(largest - higher)
        norm = norm * factor + tl.sum(powers, 1)
        values = of_v.load([head + first, 0])
        total = tl.dot(powers.to(values.dtype), values, total * factor[:, None])
        largest = higher
    of_out.store([head + start, 0], (total / norm[:, None]).to(out.dtype.element_ty))


TILE = {"height": 64, "width": 64, "step": 64}
LARGE = {"height": 128, "width": 128, "step": 64}
SIZES = {"columns": "i32", "depth": "i32"}
MAPS = {"a": "tensordesc<fp16[128,64]>", "b": "tensordesc<fp16[128,64]>", "c": "tensordesc<fp16[128,128]>"}
SIZES_OF_ALL = dict.fromkeys(("rows", "columns", "depth", "programs"), "i32")
HEADS = {"length": "i32", "scale": "fp32"}
KERNELS = {
    "f16": (matmul, pointers("a b c", "*fp16") | SIZES, {"block": 128, "step": 64}, {"num_warps": 8}),
    "bf16": (matmul, pointers("a b c", "*bf16") | SIZES, {"block": 64, "step": 32}, {}),
    "tf32": (matmul_of_rows, pointers("a b c", "*fp32") | SIZES, TILE, {}),
    "e4m3": (matmul_of_rows, pointers("a b", "*fp8e4nv") | pointers("c") | SIZES, TILE, {}),
    "e5m2": (matmul_of_rows, pointers("a b", "*fp8e5") | pointers("c") | SIZES, TILE, {}),
    "s8": (matmul_of_rows, pointers("a b", "*i8") | pointers("c", "*i32") | SIZES, TILE, {}),
    "maps": (matmul_of_maps, MAPS | {"depth": "i32"}, LARGE, {}),
    "clusters": (matmul_of_maps, MAPS | {"depth": "i32"}, LARGE, {"num_ctas": 2}),
    "persistent": (
        persistent,
        pointers("a b c", "*fp16") | SIZES_OF_ALL,
        LARGE | {"specialized": False},
        {"num_warps": 8},
    ),
    "specialized": (persistent, pointers("a b c", "*fp16") | SIZES_OF_ALL, LARGE | {"specialized": True}, {}),
    "grouped": (
        grouped,
        pointers("a b c", "*fp16") | {"sizes": "*i32", "count": "i32", "programs": "i32"},
        LARGE,
        {"num_warps": 8},
    ),
    "attention": (
        attention,
        pointers("q k v out", "*fp16") | HEADS,
        {"height": 64, "width": 64, "size": 64, "causal": False},
        {},
    ),
    "causal": (
        attention,
        pointers("q k v out", "*fp16") | HEADS,
        {"height": 64, "width": 32, "size": 64, "causal": True},
        {},
    ),
    "attention_maps": (
        attention_of_maps,
        pointers("q k v out", "*fp16") | {"heads": "i32"} | HEADS,
        {"height": 64, "width": 64, "size": 64, "specialized": False},
        {},
    ),
    "attention_specialized": (
        attention_of_maps,
        pointers("q k v out", "*fp16") | {"heads": "i32"} | HEADS,
        {"height": 128, "width": 64, "size": 64, "specialized": True},
        {},
    ),
}
"""Of each kernel, the types of its arguments, its constants, and options."""
MULTIPLES = ("rows", "columns", "depth", "length")
"""Sizes that are multiples of 16."""


def compile_to(folder: Path, kernels: dict, capability: int) -> None:
    """Compile kernels for a capability, and write what is needed to execute them."""
    folder.mkdir(exist_ok=True)
    for name, (function, types, constants, options) in kernels.items():
        signature = types | dict.fromkeys(constants, "constexpr")
        aligned = {
            (number,): [["tt.divisibility", 16]]
            for number, (parameter, type) in enumerate(types.items())
            if type.startswith("*") or parameter in MULTIPLES
        }
        make = GluonASTSource if isinstance(function, GluonJITFunction) else ASTSource
        source = make(function, signature, constexprs=constants, attrs=aligned)
        compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32), options={"num_warps": 4} | options)
        about = compiled.metadata
        (folder / f"{name}.ptx").write_text(compiled.asm["ptx"])
        described = {"shared": about.shared, "warps": about.num_warps, "scratch": about.global_scratch_size}
        described["boxes"] = [map["block_size"] for map in about.tensordesc_meta]
        (folder / f"{name}.json").write_text(json.dumps(described))


if __name__ == "__main__":
    compile_to(Path(sys.argv[1]), KERNELS, int(sys.argv[2]) if len(sys.argv) > 2 else CAPABILITY)
