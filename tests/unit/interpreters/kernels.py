"""Kernels written in a few lines, for the tests of the lane interpreter."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from xshardy.interpreters.simt import run_kernel
from xshardy.syntax import parse_module

Array = NDArray[Any]


def dimensions(name: str, sizes: tuple[int, ...]) -> str:
    return f"gpu.known_{name}_size = array<i32: {', '.join(map(str, sizes))}>"


def kernel(
    body: str,
    signature: str = "() -> ()",
    block: tuple[int, ...] = (4, 1, 1),
    grid: tuple[int, ...] = (1, 1, 1),
    rest: str = "",
) -> ModuleOp:
    """A module with the entry function `@main` of this signature, launched on this grid, and `rest` in front of it."""
    arguments, _, results = signature.partition("->")
    launch = f"{dimensions('block', block)}, {dimensions('grid', grid)}"
    return parse_module(
        f"{rest}\nfunc.func @main{arguments}-> {results} attributes {{xla.entry, {launch}}} {{\n{body}\n}}"
    )


def run(body: str, signature: str, *arguments: Any, **launch: Any) -> list[Array]:
    """Run such a kernel."""
    max_lanes = launch.pop("max_lanes", 1 << 18)
    return run_kernel(kernel(body, signature, **launch), [np.asarray(a) for a in arguments], max_lanes=max_lanes)


def scalar_op(op: str, kinds: str, *arguments: Any) -> Array:
    """What `op` of `%a`, `%b`, ... computes in a thread for each element. `kinds` is `operand type -> result type`."""
    operand, result = kinds.split(" -> ")
    size = len(arguments[0])
    names = "abcdef"[: len(arguments)]
    signature = ", ".join(f"%{name}s: tensor<{size}x{operand}>" for name in names)
    loads = "\n".join(f"%{name} = tensor.extract %{name}s[%i] : tensor<{size}x{operand}>" for name in names)
    body = f"%i = gpu.thread_id x\n{loads}\n%r = {op}\nfunc.return %r : {result}"
    (values,) = run(body, f"({signature}) -> {result}", *arguments, block=(size, 1, 1))
    return values[0]
