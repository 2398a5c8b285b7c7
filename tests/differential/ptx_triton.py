"""
Kernels of Triton's tutorials on the PTX machine, compared with numpy.

`benchmarks/peers/triton_ptx.py` compiles them, in an environment with Triton and without a GPU.

    python tests/differential/ptx_triton.py FOLDER
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx import Machine, Options

Argument = Array | int | float
ROWS, WIDTH, EPSILON = 37, 777, 1e-5
RNG = np.random.default_rng(0)


def normal(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def zeros(*shape: int) -> Array:
    return np.zeros(shape, np.float32)


class Kernels:
    """Compiled kernels in a folder."""

    def __init__(self, folder: Path):
        self.folder = folder

    def run(self, name: str, grid: Sequence[int], arguments: Sequence[Argument]) -> str:
        """Run a kernel, which has further parameters for memory that it does not use. Its faults."""
        machine = Machine((self.folder / f"{name}.ptx").read_text())
        about = json.loads((self.folder / f"{name}.json").read_text())
        unused = [np.zeros(16, np.uint8)] * (len(machine.entry.parameters) - len(arguments))
        options = Options(dynamic_shared=about["shared"], collects_faults=True, checks=True)
        return "; ".join(map(str, machine.run(grid, [32 * about["warps"]], [*arguments, *unused], options)))


def far(actual: Array, expected: Array, tolerance: float) -> str:
    error = float(np.max(np.abs(actual.astype(np.float64) - expected)))
    return "" if error <= tolerance else f"differs by {error:.3g}, more than {tolerance:.3g}"


def add(kernels: Kernels) -> str:
    x, y, z = normal(5000), normal(5000), zeros(5000)
    return kernels.run("add", [5], [x, y, z, x.size]) or far(z, x + y, 0.0)


def softmax(kernels: Kernels) -> str:
    x, y = normal(ROWS, WIDTH), zeros(ROWS, WIDTH)
    powers = np.exp(x.astype(np.float64))
    return kernels.run("softmax", [ROWS], [x, y, WIDTH]) or far(y, powers / powers.sum(1, keepdims=True), 1e-7)


def layer_norm(kernels: Kernels) -> str:
    """Forward, and backward with its results."""
    x, y, weight, bias = normal(ROWS, WIDTH), zeros(ROWS, WIDTH), normal(WIDTH), normal(WIDTH)
    mean, scale = zeros(ROWS), zeros(ROWS)
    faults = kernels.run("layer_norm", [ROWS], [x, y, weight, bias, mean, scale, WIDTH, EPSILON])
    moved = x - x.mean(1, keepdims=True, dtype=np.float64)
    inverse = 1 / np.sqrt((moved * moved).mean(1, keepdims=True) + EPSILON)
    xhat = moved * inverse
    found = faults or far(y, xhat * weight + bias, 1e-5)
    dy, dx = normal(ROWS, WIDTH), zeros(ROWS, WIDTH)
    dweight, dbias, locks = zeros(4, WIDTH), zeros(4, WIDTH), np.zeros(8, np.int32)
    arguments = [dx, dy, dweight, dbias, x, weight, mean, scale, locks, WIDTH]
    faults = kernels.run("layer_norm_backward", [ROWS], arguments)
    weighted = dy * weight
    along, average = (xhat * weighted).mean(1, keepdims=True), weighted.mean(1, keepdims=True)
    return (
        found
        or faults
        or far(dx, (weighted - (xhat * along + average)) * inverse, 1e-5)
        or far(dweight.sum(0), (dy * xhat).sum(0), 1e-4)
        or far(dbias.sum(0), dy.sum(0), 1e-4)
    )


def matmul(kernels: Kernels) -> str:
    a, b = normal(128, 96).astype(np.float16), normal(96, 192).astype(np.float16)
    c = np.zeros((128, 192), np.float16)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    unit = float(np.abs(expected).max()) * 2.0**-11
    return kernels.run("matmul", [2, 3], [a, b, c, 192, 96]) or far(c, expected, unit)


CASES: Mapping[str, Callable[[Kernels], str]] = {
    "add": add,
    "softmax": softmax,
    "layer_norm": layer_norm,
    "matmul": matmul,
}


def main(folder: Path) -> int:
    verdicts = {name: case(Kernels(folder)) for name, case in CASES.items()}
    for name, verdict in verdicts.items():
        print(f"{name}: {verdict or 'agrees'}")
    return 1 if any(verdicts.values()) else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
