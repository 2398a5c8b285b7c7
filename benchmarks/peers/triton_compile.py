# Triton comes without types, and is not installed with the project.
# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false
"""The kernels of `benchmarks/compiled` in Triton, compiled to PTX without a GPU, for `benchmarks/emitters.py`."""

import triton
import triton.language as tl
import triton_ptx
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend

TARGET = GPUTarget("cuda", 90, 32)


@triton.jit
def gelu(x, y, size, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    v = tl.load(x + at, at < size).to(tl.float32)
    u = 0.79785 * (v + 0.044708 * v * v * v)
    tanh = 1 - 2 / (tl.exp(2 * u) + 1)
    tl.store(y + at, (v * 0.5 * (1 + tanh)).to(tl.bfloat16), at < size)


@triton.jit
def row_sum(x, y, width, block: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([block], tl.float32)
    for first in range(0, width, block):
        at = first + tl.arange(0, block)
        total += tl.load(x + row * width + at, at < width, 0.0)
    tl.store(y + row, tl.sum(total, 0))


@triton.jit
def transpose(x, y, rows, columns, block: tl.constexpr):
    row = tl.program_id(0) * block + tl.arange(0, block)
    column = tl.program_id(1) * block + tl.arange(0, block)
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    tile = tl.load(x + row[:, None] * columns + column[None, :], inside)
    tl.store(y + column[:, None] * rows + row[None, :], tl.trans(tile), tl.trans(inside))


KERNELS = {
    "gelu": (gelu, triton_ptx.pointers("x y", "*bf16") | {"size": "i32"}, {"block": 1024}),
    "layer_norm": triton_ptx.KERNELS["layer_norm"],
    "row_sum": (row_sum, triton_ptx.pointers("x y") | {"width": "i32"}, {"block": 1024}),
    "softmax": triton_ptx.KERNELS["softmax"],
    "transpose": (transpose, triton_ptx.pointers("x y") | {"rows": "i32", "columns": "i32"}, {"block": 32}),
}
"""By program: the kernel, the types of its arguments, and its constants."""


def compile(name: str) -> str:
    """The PTX of a kernel. Unlike `triton.compile`, reads and writes no cache, and does not call ptxas."""
    function, types, constants = KERNELS[name]
    signature = types | dict.fromkeys(constants, "constexpr")
    aligned = {(n,): [["tt.divisibility", 16]] for n, type in enumerate(types.values()) if type.startswith("*")}
    source = ASTSource(function, signature, constexprs=constants, attrs=aligned)
    backend = make_backend(TARGET)
    options = backend.parse_options({"num_warps": 4, **source.parse_options()})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = source.make_ir(
        TARGET, options, backend.get_codegen_implementation(options), backend.get_module_map(), context
    )
    stages, metadata = {}, {"target": TARGET, **vars(options)}
    backend.add_stages(stages, options, source.language)
    for stage in ("ttir", "ttgir", "llir", "ptx"):
        module = stages[stage](module, metadata)
    return module
