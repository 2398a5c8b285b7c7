"""Products of transposed tensors by cuBLAS compute what they did."""

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from xshardy.interpreters.stablehlo import evaluate
from xshardy.launch.prepared_program import entry_of
from xshardy.syntax import parse_module
from xshardy.transforms.hlo.expand_library_calls import ExpandLibraryCallsPass
from xshardy.transforms.hlo.fold_dot_transposes import FoldDotTransposesPass
from xshardy.transforms.hlo.rewrite_gemms import RewriteGemmsPass


def tensor(shape: tuple[int, ...]) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}f32>"


def transposed(name: str, operand: str, shape: tuple[int, ...], rng: Random) -> tuple[str, tuple[int, ...]]:
    """A line that transposes `operand`, and the shape of the result."""
    moved = rng.sample(range(len(shape)), len(shape))
    result = tuple(shape[d] for d in moved)
    return f"{name} = stablehlo.transpose {operand}, dims = {moved} : ({tensor(shape)}) -> {tensor(result)}", result


def random_product(rng: Random) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """A product whose operands and result are transposed, and the shapes of its parameters."""
    sizes = {"batch": 2, "batch2": 3, "free": 4, "free2": 5, "contracted": 6, "contracted2": 7}
    common = [*rng.sample(["batch", "batch2"], rng.randint(0, 2)), *rng.sample(["contracted", "contracted2"], 1)]
    if rng.random() < 0.3:
        common.append("contracted2" if "contracted" in common else "contracted")
    names = [common + rng.sample(["free", "free2"], rng.randint(0, 2)) for _ in range(2)]
    for each in names:
        rng.shuffle(each)
    shapes = [tuple(sizes[name] for name in each) for each in names]
    batch = [name for name in common if name.startswith("batch")]
    contracted = [name for name in common if name.startswith("contracted")]
    free = [[name for name in each if name.startswith("free")] for each in names]
    parameters, lines = [], []
    for argument, value, shape in zip(("%a", "%b"), ("%x", "%y"), shapes, strict=True):
        moved = rng.sample(range(len(shape)), len(shape))
        before = [0] * len(shape)
        for d, source in enumerate(moved):
            before[source] = shape[d]
        parameters.append(tuple(before))
        lines.append(
            f"{value} = stablehlo.transpose {argument}, dims = {moved} : ({tensor(tuple(before))}) -> {tensor(shape)}"
        )
    dims = [[[each.index(name) for name in part] for each in names] for part in (batch, contracted)]
    result = tuple(sizes[name] for name in [*batch, *free[0], *free[1]])
    lines.append(
        f"%p = stablehlo.dot_general %x, %y, batching_dims = {dims[0][0]} x {dims[0][1]}, "
        f"contracting_dims = {dims[1][0]} x {dims[1][1]} "
        f": ({tensor(shapes[0])}, {tensor(shapes[1])}) -> {tensor(result)}"
    )
    line, last = transposed("%q", "%p", result, rng)
    body = "\n".join([*lines, line])
    types = f"%a: {tensor(parameters[0])}, %b: {tensor(parameters[1])}"
    text = f"func.func @main({types}) -> {tensor(last)} {{\n{body}\nreturn %q : {tensor(last)}\n}}"
    return text, parameters[0], parameters[1]


@given(st.randoms(use_true_random=False))
def test_products_of_transposed_tensors(rng: Random):
    text, *shapes = random_product(rng)
    module = parse_module(text)
    random = np.random.default_rng(0)
    inputs = [random.integers(-4, 5, shape).astype(np.float32) for shape in shapes]
    (expected,) = evaluate(entry_of(module), inputs)
    for each in (FoldDotTransposesPass(), RewriteGemmsPass(), ExpandLibraryCallsPass()):
        each.rewrite_module(module)
        module.verify()
    (result,) = evaluate(entry_of(module), inputs)
    np.testing.assert_array_equal(result, expected)
