"""
Kernels of Triton and CUTLASS for Hopper and Blackwell on the PTX machine, compared with numpy, and checked.

`benchmarks/peers/triton_hopper.py`, `triton_blackwell.py`, `cutlass_hopper.py` and `nvrtc_matrices.py` compile them, in
environments with Triton and NVRTC, without a GPU. Those that are not in the folder are left out. With `--mutate`, each
instruction that orders accesses is removed, one at a time, and counted whether a check finds it.

    python tests/differential/ptx_matrix_kernels.py FOLDER [NAME...] [--mutate]
"""

import json
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx import Fault, Machine, Options, TensorMap

Argument = Array | int | float | TensorMap
HALF = np.float16
ROWS, COLUMNS, DEPTH = 256, 256, 256
HEADS, LENGTH, SIZE = 2, 256, 64
ORDERING = re.compile(
    r"\s*(?:@!?%\w+ )?(?:bar\.sync|barrier|wgmma\.wait_group|wgmma\.commit_group|tcgen05\.(?:wait|commit)|"
    r"cp\.async\.\w*_group|cp\.async\.bulk\.\w*_group|mbarrier\.(?:try_wait|init|arrive)|fence\.proxy\.async)"
)
"""Instructions that `--mutate` removes."""


class Kernel:
    """A compiled kernel, and what it was executed with."""

    def __init__(self, folder: Path, name: str, grid: Sequence[int], arguments: Sequence[Argument]):
        self.ptx = (folder / f"{name}.ptx").read_text()
        self.about = json.loads((folder / f"{name}.json").read_text())
        self.grid, self.arguments = grid, arguments

    def run(self, ptx: str | None = None, *, fresh: bool = False) -> Sequence[Fault]:
        """Execute the kernel, or another text of it; with `fresh`, on copies of the arguments. Its faults."""
        machine = Machine(ptx or self.ptx)
        arguments = [_copied(argument) for argument in self.arguments] if fresh else [*self.arguments]
        scratch = max(self.about["scratch"], 16) * prod(self.grid)
        missing = len(machine.entry.parameters) - len(arguments)
        arguments += [np.zeros(scratch, np.uint8) for _ in range(missing)]
        options = Options(None, self.about["shared"], collects_faults=True, checks=True, max_iterations=4096)
        return machine.run(self.grid, [32 * self.about["warps"]], arguments, options)

    def mutants(self) -> list[tuple[int, str]]:
        """The lines of instructions that order accesses, and the text without each of them."""
        lines = self.ptx.split("\n")
        found: list[tuple[int, str]] = []
        for number, line in enumerate(lines):
            if ORDERING.match(line):
                end = number + 2 if "try_wait" in line else number + 1  # with its branch
                found.append((number + 1, "\n".join([*lines[:number], *[""] * (end - number), *lines[end:]])))
        return found


def _copied(argument: Argument) -> Argument:
    if isinstance(argument, TensorMap):
        return TensorMap(argument.array.copy(), argument.box, argument.swizzle)
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def numbers(dtype: type[Any], *shape: int) -> Array:
    random = np.random.default_rng(sum(shape))
    if np.dtype(dtype).kind == "i":
        return random.integers(-100, 100, shape).astype(dtype)
    return random.standard_normal(shape).astype(dtype)


Expected = Callable[[], tuple[Array, Array, float]]
"""Gives what a kernel has written, what that should be, and the unit of the allowed error."""


def product(
    folder: Path, name: str, types: tuple[type[Any], type[Any]], tile: int, unit: float, *, of_rows: bool = True
) -> tuple[Kernel, Expected]:
    a = numbers(types[0], ROWS, DEPTH)
    b = numbers(types[0], COLUMNS, DEPTH) if of_rows else numbers(types[0], DEPTH, COLUMNS)
    c = np.zeros((ROWS, COLUMNS), types[1])
    kernel = Kernel(folder, name, [ROWS // tile, COLUMNS // tile], [a, b, c, COLUMNS, DEPTH])
    right = b.astype(np.float64).T if of_rows else b.astype(np.float64)
    return kernel, lambda: (c, a.astype(np.float64) @ right, unit)


def by_maps(folder: Path, name: str, blocks_of_cluster: int = 1) -> tuple[Kernel, Expected]:
    a, b, c = numbers(HALF, ROWS, DEPTH), numbers(HALF, COLUMNS, DEPTH), np.zeros((ROWS, COLUMNS), HALF)
    arguments: list[Argument] = []
    boxes = json.loads((folder / f"{name}.json").read_text())["boxes"]
    for array, box in zip((a, b, c), boxes, strict=True):
        arguments += [TensorMap(array, tuple(box), 128), *array.shape, array.shape[1], 1]
    kernel = Kernel(folder, name, [ROWS // 128 * blocks_of_cluster, COLUMNS // 128], [*arguments, DEPTH])
    return kernel, lambda: (c, a.astype(np.float64) @ b.astype(np.float64).T, 2**-11)


def by_cutlass(folder: Path, name: str) -> tuple[Kernel, Expected]:
    a, b, c = numbers(HALF, ROWS, DEPTH), numbers(HALF, COLUMNS, DEPTH), np.zeros((ROWS, COLUMNS), HALF)
    boxes = json.loads((folder / f"{name}.json").read_text())["boxes"]
    maps = [TensorMap(array, tuple(box), 128) for array, box in zip((a, b), boxes, strict=True)]
    kernel = Kernel(folder, name, [ROWS // 128, COLUMNS // 128], [*maps, c, COLUMNS, DEPTH])
    return kernel, lambda: (c, a.astype(np.float64) @ b.astype(np.float64).T, 2**-11)


def by_wmma(folder: Path, name: str, dtype: type[Any], result: type[Any]) -> tuple[Kernel, Expected]:
    a, b, c = numbers(dtype, ROWS, DEPTH), numbers(dtype, COLUMNS, DEPTH), np.zeros((ROWS, COLUMNS), result)
    kernel = Kernel(folder, name, [ROWS // 64, COLUMNS // 64], [a, b, c, COLUMNS, DEPTH])
    return kernel, lambda: (c, a.astype(np.float64) @ b.astype(np.float64).T, 2**-22)


def by_sparse(folder: Path, name: str) -> tuple[Kernel, Expected]:
    """Of each four elements of a row of A, two at random places are stored."""
    random = np.random.default_rng(0)
    stored, b, c = numbers(HALF, ROWS, DEPTH // 2), numbers(HALF, COLUMNS, DEPTH), np.zeros((ROWS, COLUMNS), np.float32)
    places = np.sort(random.permuted(np.tile(np.arange(4), (ROWS, DEPTH // 4, 1)), axis=-1)[..., :2], axis=-1)
    dense = np.zeros((ROWS, DEPTH // 4, 4))
    np.put_along_axis(dense, places, stored.reshape(ROWS, -1, 2).astype(np.float64), axis=-1)
    codes = (places[..., 0] | places[..., 1] << 2).reshape(ROWS, -1, 4)
    words = (codes << np.arange(0, 16, 4)).sum(axis=-1).astype(np.uint16)
    kernel = Kernel(folder, name, [ROWS // 16, COLUMNS // 8], [stored, words, b, c, COLUMNS, DEPTH])
    return kernel, lambda: (c, dense.reshape(ROWS, DEPTH) @ b.astype(np.float64).T, 2**-22)


def persistent(folder: Path, name: str) -> tuple[Kernel, Expected]:
    a, b, c = numbers(HALF, ROWS, DEPTH), numbers(HALF, COLUMNS, DEPTH), np.zeros((ROWS, COLUMNS), HALF)
    kernel = Kernel(folder, name, [3], [a, b, c, ROWS, COLUMNS, DEPTH, 3])
    return kernel, lambda: (c, a.astype(np.float64) @ b.astype(np.float64).T, 2**-11)


def grouped(folder: Path, name: str) -> tuple[Kernel, Expected]:
    sizes = [(256, 128, 192), (128, 128, 64), (200, 136, 128)]
    table: list[list[int]] = []
    ends = [0, 0, 0]
    for rows, columns, depth in sizes:
        table.append([rows, columns, depth, *(end // 64 for end in ends)])
        used = (rows * depth, columns * depth, rows * columns)
        ends = [end + -(-size // 64) * 64 for end, size in zip(ends, used, strict=True)]
    a, b, c = numbers(HALF, ends[0]), numbers(HALF, ends[1]), np.zeros(ends[2], HALF)
    expected = np.zeros(ends[2])
    for rows, columns, depth, *starts in table:
        of_a, of_b, of_c = (64 * start for start in starts)
        left = a[of_a : of_a + rows * depth].reshape(rows, depth).astype(np.float64)
        right = b[of_b : of_b + columns * depth].reshape(columns, depth).astype(np.float64)
        expected[of_c : of_c + rows * columns] = (left @ right.T).reshape(-1)
    kernel = Kernel(folder, name, [2], [a, b, c, np.array(table, np.int32), len(table), 2])
    return kernel, lambda: (c, expected, 2**-11)


def attention(
    folder: Path, name: str, height: int, *, causal: bool = False, of_maps: bool = False
) -> tuple[Kernel, Expected]:
    q, k, v = (numbers(HALF, HEADS * LENGTH, SIZE) + HALF(shift) for shift in (0, 0.25, 0.5))
    out, scale = np.zeros((HEADS * LENGTH, SIZE), HALF), 1 / np.sqrt(SIZE) / np.log(2)
    arguments: list[Argument] = [q, k, v, out, *([HEADS] if of_maps else []), LENGTH, float(scale)]
    kernel = Kernel(folder, name, [LENGTH // height, HEADS], arguments)

    def expected() -> tuple[Array, Array, float]:
        queries, keys, values = (array.astype(np.float64).reshape(HEADS, LENGTH, SIZE) for array in (q, k, v))
        scores = queries @ keys.swapaxes(1, 2) / np.sqrt(SIZE)
        if causal:
            scores = np.where(np.tri(LENGTH, dtype=np.bool_), scores, -np.inf)
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        result = powers / powers.sum(-1, keepdims=True) @ values
        return out, result.reshape(out.shape), 2**-10

    return kernel, expected


def numbers_of_4_bits(rows: int, columns: int) -> tuple[Array, Array]:
    """Random numbers, two to a byte, and what they are."""
    packed = np.random.default_rng(rows).integers(0, 256, (rows, columns // 2)).astype(np.uint8)
    codes = np.stack([packed & 15, packed >> 4], axis=-1).reshape(rows, columns)
    return packed, codes.view(ml_dtypes.float4_e2m1fn).astype(np.float64)


def scaled(folder: Path, name: str, types: tuple[type[Any] | None, type[Any] | None]) -> tuple[Kernel, Expected]:
    """A product of scaled blocks of 32; None is for 4 bits. If both are, `name` may ask for blocks of 16."""
    group, scale = (16, F8) if name.endswith("nv") else (32, ml_dtypes.float8_e8m0fnu)
    arguments: list[Argument] = []
    sides: list[Array] = []
    for rows, type in zip((ROWS, COLUMNS), types, strict=True):
        held, values = numbers_of_4_bits(rows, DEPTH) if type is None else (numbers(type, rows, DEPTH), None)
        powers = np.random.default_rng(rows + 1).integers(-3, 4, (rows, DEPTH // group))
        factors = (2.0**powers).astype(scale)
        known = held.astype(np.float64) if values is None else values
        sides.append(known * np.repeat(factors.astype(np.float64), group, axis=1))
        arguments += [held, factors]
    c = np.zeros((ROWS, COLUMNS), np.float32)
    kernel = Kernel(folder, name, [ROWS // 128, COLUMNS // 128], [*arguments, c, COLUMNS, DEPTH])
    return kernel, lambda: (c, sides[0] @ sides[1].T, 2**-22)


def reloaded(folder: Path, name: str) -> tuple[Kernel, Expected]:
    source = numbers(np.float32, 128, 64)
    target = np.zeros_like(source)
    return Kernel(folder, name, [1], [source, target]), lambda: (target, source.astype(np.float64), 0)


F8, F8_WIDE = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
CASES: Mapping[str, Callable[[Path, str], tuple[Kernel, Expected]]] = {
    "f16": lambda folder, name: product(folder, name, (HALF, HALF), 128, 2**-11, of_rows=False),
    "bf16": lambda folder, name: product(
        folder, name, (ml_dtypes.bfloat16, ml_dtypes.bfloat16), 64, 2**-8, of_rows=False
    ),
    "tf32": lambda folder, name: product(folder, name, (np.float32, np.float32), 64, 2**-10),
    "e4m3": lambda folder, name: product(folder, name, (F8, np.float32), 64, 2**-22),
    "e5m2": lambda folder, name: product(folder, name, (F8_WIDE, np.float32), 64, 2**-22),
    "s8": lambda folder, name: product(folder, name, (np.int8, np.int32), 64, 0),
    "maps": by_maps,
    "clusters": lambda folder, name: by_maps(folder, name, 2),
    "cutlass": by_cutlass,
    "cutlass_clusters": by_cutlass,
    "wmma_f16": lambda folder, name: by_wmma(folder, name, HALF, np.float32),
    "wmma_s8": lambda folder, name: by_wmma(folder, name, np.int8, np.int32),
    "sparse": by_sparse,
    "persistent": persistent,
    "specialized": persistent,
    "grouped": grouped,
    "scaled_e4m3": lambda folder, name: scaled(folder, name, (F8, F8)),
    "scaled_e5m2": lambda folder, name: scaled(folder, name, (F8_WIDE, F8)),
    "scaled_mixed": lambda folder, name: scaled(folder, name, (F8, None)),
    "scaled_e2m1": lambda folder, name: scaled(folder, name, (None, None)),
    "scaled_nv": lambda folder, name: scaled(folder, name, (None, None)),
    "reloaded_16x64b": reloaded,
    "reloaded_16x128b": reloaded,
    "reloaded_16x256b": reloaded,
    "attention": lambda folder, name: attention(folder, name, 64),
    "causal": lambda folder, name: attention(folder, name, 64, causal=True),
    "attention_maps": lambda folder, name: attention(folder, name, 64, of_maps=True),
    "attention_specialized": lambda folder, name: attention(folder, name, 128, of_maps=True),
}


def verdict(folder: Path, name: str) -> str:
    """What is wrong with a kernel; empty if nothing is."""
    kernel, expected = CASES[name](folder, name)
    if faults := "; ".join(map(str, kernel.run())):
        return faults
    found, right, unit = expected()
    error, allowed = float(np.max(np.abs(found.astype(np.float64) - right))), unit * float(np.max(np.abs(right)))
    return "" if error <= allowed else f"differs by {error:.3g}, more than {allowed:.3g}"


def mutate(folder: Path, name: str) -> None:
    """Print which removed instructions are found."""
    kernel, _ = CASES[name](folder, name)
    mutants = kernel.mutants()
    found = 0
    for line, ptx in mutants:
        faults = kernel.run(ptx, fresh=True)
        found += bool(faults)
        text = kernel.ptx.split("\n")[line - 1].strip()
        print(f"  {line}: {text[:60]} -> {faults[0] if faults else 'nothing'}", flush=True)
    print(f"{name}: {found} of {len(mutants)} found")


def main(folder: Path, *options: str) -> int:
    mutates = "--mutate" in options
    names = [option for option in options if not option.startswith("-")] or list(CASES)
    names = [name for name in names if (folder / f"{name}.ptx").exists()]
    is_wrong = False
    for name in names:
        if mutates:
            mutate(folder, name)
            continue
        start = time.perf_counter()
        wrong = verdict(folder, name)
        is_wrong |= bool(wrong)
        print(f"{name}: {wrong or 'agrees'}, {time.perf_counter() - start:.1f} s", flush=True)
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
