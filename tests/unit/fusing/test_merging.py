"""Kernels that become one: programs of rows and columns, executed by kernels on the memory of their plan."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xshardy.dialects.hlo import FusionOp
from xshardy.fusing.merging import place_between
from xshardy.fusing.pipeline import FusionPipelinePass
from xshardy.interpreters.stablehlo import evaluate
from xshardy.launch.checked_run import planned
from xshardy.launch.cpu_machine import CpuMachine
from xshardy.launch.execution import Execution
from xshardy.launch.prepared_program import entry_of
from xshardy.syntax import parse_module
from xshardy.universe import new_context

TARGET = "sm_90"
SHAPES = ((8, 32), (32, 32), (5, 16), (64, 4), (130, 3))
"""Rows for the row-wise emitter, as many as columns, columns that pay off, and short rows."""


class RandomProgram:
    """A program of integers, which are exact: matrices, and vectors with an element per row or per column."""

    def __init__(self, rng: Random, shape: tuple[int, int], length: int):
        rows, columns = shape
        self.rng = rng
        self.types = {"m": f"tensor<{rows}x{columns}xi32>", "r": f"tensor<{rows}xi32>", "c": f"tensor<{columns}xi32>"}
        self.values = {"m": ["%x", "%y"], "r": ["%a"], "c": ["%b"]}
        self.lines = list[str]()
        for _ in range(length):
            rng.choice((self.combine, self.combine, self.reduce, self.repeat, self.turn))()

    def made(self, kind: str, text: str) -> None:
        self.values[kind].append(f"%{len(self.lines)}")
        self.lines.append(f"%{len(self.lines)} = stablehlo.{text}")

    def any(self, kind: str) -> str:
        return self.rng.choice(self.values[kind][-4:] if self.rng.random() < 0.7 else self.values[kind])

    def combine(self) -> None:
        kind = self.rng.choice("mmmrc")
        name = self.rng.choice(("add", "multiply", "maximum", "remainder"))
        self.made(kind, f"{name} {self.any(kind)}, {self.any(kind)} : {self.types[kind]}")

    def reduce(self) -> None:
        kind, dimension = self.rng.choice((("r", 1), ("c", 0)))
        name = self.rng.choice(("add", "maximum"))
        across = f"applies stablehlo.{name} across dimensions = [{dimension}]"
        types = f"({self.types['m']}, tensor<i32>) -> {self.types[kind]}"
        self.made(kind, f"reduce({self.any('m')} init: %zero) {across} : {types}")

    def repeat(self) -> None:
        kind, dimension = self.rng.choice((("r", 0), ("c", 1)))
        types = f"({self.types[kind]}) -> {self.types['m']}"
        self.made("m", f"broadcast_in_dim {self.any(kind)}, dims = [{dimension}] : {types}")

    def turn(self) -> None:
        """The transpose of a square matrix."""
        types = {self.types["r"], self.types["c"]}
        name = "negate" if len(types) > 1 else "transpose"
        if name == "negate":
            self.made("m", f"negate {self.any('m')} : {self.types['m']}")
        else:
            m = self.types["m"]
            self.made("m", f"transpose {self.any('m')}, dims = [1, 0] : ({m}) -> {m}")

    def text(self) -> str:
        kinds = [(kind, value) for kind, values in self.values.items() for value in values if value[1:].isdigit()]
        returned = self.rng.sample(kinds, min(len(kinds), 4))
        values, types = [value for _, value in returned], [self.types[kind] for kind, _ in returned]
        m, r, c = self.types.values()
        lines = [
            f"func.func @main(%x: {m}, %y: {m}, %a: {r}, %b: {c}) -> ({', '.join(types)}) {{",
            "%zero = stablehlo.constant dense<0> : tensor<i32>",
            *self.lines,
            f"return {', '.join(values)} : {', '.join(types)}" if values else "return",
            "}",
        ]
        return "\n".join(lines)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@settings(max_examples=10)
@given(st.randoms(use_true_random=False), st.integers(1, 30))
def test_programs_of_rows_and_columns(shape: tuple[int, int], rng: Random, length: int):
    module = parse_module(RandomProgram(rng, shape, length).text())
    entry = entry_of(module.clone())
    FusionPipelinePass().apply(new_context(), module)
    module.verify()
    random = np.random.default_rng(0)
    inputs = [random.integers(-9, 9, each, np.int32) for each in (shape, shape, shape[:1], shape[1:])]
    results = Execution(planned(module, TARGET), CpuMachine("xla_gpu", TARGET), False).run(inputs)
    for result, expected in zip(results, evaluate(entry, inputs), strict=True):
        np.testing.assert_array_equal(result.reshape(np.shape(expected)), expected)


@pytest.mark.parametrize(
    ("after", "before", "places", "expected"),
    [
        (3, 9, [5, 7], 7),  # the later kernel moves nothing that is read
        (3, 6, [5, 7], 5),  # its results are read earlier
        (6, 7, [3, 9], 6.5),
        (7, 7, [5, 8], None),  # another kernel is between them
        (7, 5, [5, 8], None),
    ],
)
def test_place_between(after: float, before: float, places: list[float], expected: float | None):
    assert place_between(after, before, places) == expected


def softmaxes(count: int) -> str:
    """Softmax of softmax, each with its sums as results."""
    matrix, vector = "tensor<32x64xf32>", "tensor<32xf32>"
    lines = [f"%0 = stablehlo.negate %x : {matrix}"]
    for i in range(count):
        lines += [
            f"%e{i} = stablehlo.exponential %{i} : {matrix}",
            f"%s{i} = stablehlo.reduce(%e{i} init: %zero) applies stablehlo.add across dimensions = [1]"
            f" : ({matrix}, tensor<f32>) -> {vector}",
            f"%b{i} = stablehlo.broadcast_in_dim %s{i}, dims = [0] : ({vector}) -> {matrix}",
            f"%{i + 1} = stablehlo.divide %e{i}, %b{i} : {matrix}",
        ]
    sums = [f"%s{i}" for i in range(count)]
    types = ", ".join([vector] * count)
    return "\n".join(
        [
            f"func.func @main(%x: {matrix}) -> ({types}, {matrix}) {{",
            "%zero = stablehlo.constant dense<0.0> : tensor<f32>",
            *lines,
            f"return {', '.join(sums)}, %{count} : {types}, {matrix}",
            "}",
        ]
    )


def fusions_of(text: str) -> list[FusionOp]:
    module = parse_module(text)
    FusionPipelinePass().apply(new_context(), module)
    return [op for op in entry_of(module).walk() if isinstance(op, FusionOp)]


def test_a_kernel_of_several_has_a_limited_number_of_results():
    assert [len(op.results) for op in fusions_of(softmaxes(3))] == [4]
    fusions = fusions_of(softmaxes(100))
    assert len(fusions) > 1
    assert max(len(op.results) + len(op.operands) for op in fusions) <= 64


@pytest.mark.parametrize(("others", "kernels"), [(3, 4), (4, 6)])
def test_a_kernel_is_compared_with_four_that_read_the_same(others: int, kernels: int):
    """The first and the last kernel read as many elements of `%x`; `others` are between them."""
    sizes = [64, *range(63, 63 - others, -1), 64]
    lines = [
        f"%s{i} = stablehlo.slice %x [{i}:{i + size}] : (tensor<100xf32>) -> tensor<{size}xf32>\n"
        f"%y{i} = stablehlo.exponential %s{i} : tensor<{size}xf32>"
        for i, size in enumerate(sizes)
    ]
    values = ", ".join(f"%y{i}" for i in range(len(sizes)))
    types = ", ".join(f"tensor<{size}xf32>" for size in sizes)
    header = f"func.func @main(%x: tensor<100xf32>) -> ({types}) {{"
    text = "\n".join([header, *lines, f"return {values} : {types}", "}"])
    assert len(fusions_of(text)) == kernels
