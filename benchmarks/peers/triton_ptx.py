# Triton comes without types, and is not installed with the project.
# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false
"""
Kernels of Triton's tutorials compiled to PTX without a device, for `tests/differential/ptx_triton.py`.

Vector addition, softmax, layer normalization forward and backward (with locks), and a matrix product on tensor cores.
For each, NAME.ptx, and NAME.json with its bytes of shared memory and warps.

    python benchmarks/peers/triton_ptx.py FOLDER
"""

import json
import sys
from pathlib import Path

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

CAPABILITY = 80
"""Of the target: its matrix product is `mma.sync`, that of later ones needs tensor memory or `wgmma`."""
WARPS = 4
LOCKS = 4


@triton.jit
def add(x, y, z, size, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(z + at, tl.load(x + at, at < size) + tl.load(y + at, at < size), at < size)


@triton.jit
def softmax(x, y, width, block: tl.constexpr):
    start, at = tl.program_id(0) * width, tl.arange(0, block)
    row = tl.load(x + start + at, at < width, -float("inf"))
    powers = tl.exp(row - tl.max(row, 0))
    tl.store(y + start + at, powers / tl.sum(powers, 0), at < width)


@triton.jit
def layer_norm(x, y, weight, bias, mean, scale, width, epsilon, block: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, block)
    inside = at < width
    values = tl.load(x + row * width + at, inside, 0.0)
    center = tl.sum(values, 0) / width
    moved = tl.where(inside, values - center, 0.0)
    inverse = 1 / tl.sqrt(tl.sum(moved * moved, 0) / width + epsilon)
    tl.store(mean + row, center)
    tl.store(scale + row, inverse)
    result = moved * inverse * tl.load(weight + at, inside) + tl.load(bias + at, inside)
    tl.store(y + row * width + at, result, inside)


@triton.jit
def layer_norm_backward(
    dx, dy, dweight, dbias, x, weight, mean, scale, locks, width, count: tl.constexpr, block: tl.constexpr
):
    row, at = tl.program_id(0), tl.arange(0, block)
    inside = at < width
    values = tl.load(x + row * width + at, inside, 0.0)
    gradient = tl.load(dy + row * width + at, inside, 0.0)
    inverse = tl.load(scale + row)
    normal = tl.where(inside, (values - tl.load(mean + row)) * inverse, 0.0)
    weighted = tl.where(inside, tl.load(weight + at, inside, 0.0) * gradient, 0.0)
    along, average = tl.sum(normal * weighted, 0) / width, tl.sum(weighted, 0) / width
    tl.store(dx + row * width + at, (weighted - (normal * along + average)) * inverse, inside)
    number = row % count
    while tl.atomic_cas(locks + number, 0, 1) == 1:
        pass
    of_weight, of_bias = gradient * normal, gradient
    if tl.load(locks + count + number) == 0:
        tl.atomic_xchg(locks + count + number, 1)
    else:
        of_weight += tl.load(dweight + number * width + at, inside)
        of_bias += tl.load(dbias + number * width + at, inside)
    tl.store(dweight + number * width + at, of_weight, inside)
    tl.store(dbias + number * width + at, of_bias, inside)
    tl.debug_barrier()
    tl.atomic_xchg(locks + number, 0)


@triton.jit
def matmul(a, b, c, columns, depth, block: tl.constexpr, step: tl.constexpr):
    row = tl.program_id(0) * block + tl.arange(0, block)
    column = tl.program_id(1) * block + tl.arange(0, block)
    inner = tl.arange(0, step)
    total = tl.zeros([block, block], tl.float32)
    for first in range(0, depth, step):
        left = tl.load(a + row[:, None] * depth + (first + inner)[None, :])
        right = tl.load(b + (first + inner)[:, None] * columns + column[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + row[:, None] * columns + column[None, :], total.to(tl.float16))


def pointers(names: str, type: str = "*fp32") -> dict[str, str]:
    return dict.fromkeys(names.split(), type)


KERNELS = {
    "add": (add, pointers("x y z") | {"size": "i32"}, {"block": 1024}),
    "softmax": (softmax, pointers("x y") | {"width": "i32"}, {"block": 1024}),
    "layer_norm": (
        layer_norm,
        pointers("x y weight bias mean scale") | {"width": "i32", "epsilon": "fp32"},
        {"block": 1024},
    ),
    "layer_norm_backward": (
        layer_norm_backward,
        pointers("dx dy dweight dbias x weight mean scale") | {"locks": "*i32", "width": "i32"},
        {"count": LOCKS, "block": 1024},
    ),
    "matmul": (matmul, pointers("a b c", "*fp16") | {"columns": "i32", "depth": "i32"}, {"block": 64, "step": 32}),
}
"""Of each kernel, the types of its arguments and its constants."""


def main(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name, (function, types, constants) in KERNELS.items():
        signature = types | dict.fromkeys(constants, "constexpr")
        aligned = {(n,): [["tt.divisibility", 16]] for n, type in enumerate(types.values()) if type.startswith("*")}
        source = ASTSource(function, signature, constexprs=constants, attrs=aligned)
        compiled = triton.compile(source, target=GPUTarget("cuda", CAPABILITY, 32), options={"num_warps": WARPS})
        (folder / f"{name}.ptx").write_text(compiled.asm["ptx"])
        (folder / f"{name}.json").write_text(json.dumps({"shared": compiled.metadata.shared, "warps": WARPS}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
