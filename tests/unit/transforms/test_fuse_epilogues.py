"""Library calls compute what followed them, and formulas are recognised however they are written."""

import re
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects import stablehlo
from xshardy.interpreters.stablehlo import evaluate
from xshardy.launch.prepared_program import entry_of
from xshardy.numerics.element_types import Array
from xshardy.rewriting.walk import operations_of
from xshardy.syntax import parse_module
from xshardy.transforms.hlo.expand_library_calls import ExpandLibraryCallsPass
from xshardy.transforms.hlo.fuse_epilogues import FuseEpiloguesPass
from xshardy.transforms.hlo.polynomials import is_equal, plus, times
from xshardy.transforms.hlo.rewrite_convolutions import RewriteConvolutionsPass
from xshardy.transforms.hlo.rewrite_gemms import RewriteGemmsPass

PRODUCTS = {
    "4x6": (
        [(4, 8), (8, 6)],
        "stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>)",
    ),
    "2x4x6": (
        [(2, 4, 8), (8, 6)],
        "stablehlo.dot_general %x, %y, contracting_dims = [2] x [0] : (tensor<2x4x8xf32>, tensor<8x6xf32>)",
    ),
    "3x4x6": (
        [(3, 4, 8), (3, 8, 6)],
        "stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] "
        ": (tensor<3x4x8xf32>, tensor<3x8x6xf32>)",
    ),
    "2x5x5x6": (
        [(2, 5, 5, 3), (3, 3, 3, 6)],
        "stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
        "window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} "
        ": (tensor<2x5x5x3xf32>, tensor<3x3x3x6xf32>)",
    ),
}
"""By the shape of the result: the shapes of the operands, and the operation."""

STEPS = {
    "scale": "%k = stablehlo.constant dense<-0.5> : {t}\n%{o} = stablehlo.multiply {pair} : {t}",
    "bias": "%k = stablehlo.broadcast_in_dim %bias, dims = [{last}] : (tensor<6xf32>) -> {t}\n"
    "%{o} = stablehlo.add {pair} : {t}",
    "row": "%j = stablehlo.reshape %bias : (tensor<6xf32>) -> tensor<1x6xf32>\n"
    "%k = stablehlo.broadcast_in_dim %j, dims = [{before}, {last}] : (tensor<1x6xf32>) -> {t}\n"
    "%{o} = stablehlo.add {pair} : {t}",
    "column": "%k = stablehlo.broadcast_in_dim %number, dims = [] : (tensor<f32>) -> {t}\n"
    "%{o} = stablehlo.add {pair} : {t}",
    "add": "%k = stablehlo.negate %c : {t}\n%{o} = stablehlo.add {pair} : {t}",
    "argument": "%{o} = stablehlo.add {argument} : {t}",
    "subtract": "%{o} = stablehlo.subtract {argument} : {t}",
    "square": "%{o} = stablehlo.multiply %{i}, %{i} : {t}",
    "relu": "%k = stablehlo.constant dense<0.0> : {t}\n%{o} = stablehlo.maximum {pair} : {t}",
}
"""What may follow: `i` is the value so far, `o` the next one; pairs of operands come in either order."""


def random_program(rng: Random) -> tuple[str, list[tuple[int, ...]]]:
    """A product and what follows it, of which other readers may see something, and the shapes of its parameters."""
    shape = rng.choice([*PRODUCTS])
    shapes, product = PRODUCTS[shape]
    type = f"tensor<{shape}xf32>"
    dims = tuple(map(int, shape.split("x")))
    lines = [f"%v0 = {product} -> {type}"]
    results: list[str] = []
    steps = rng.randint(1, 4)
    for step in range(steps):
        i, o = f"v{step}", f"v{step + 1}"
        orders = {
            name: ", ".join(rng.sample([f"%{i}", other], 2)) for name, other in (("pair", "%k"), ("argument", "%c"))
        }
        text = STEPS[rng.choice([*STEPS])].format(t=type, i=i, o=o, last=len(dims) - 1, before=len(dims) - 2, **orders)
        lines.append(text.replace("%k", f"%k{step}").replace("%j", f"%j{step}"))
        if rng.random() < 0.1:
            results.append(f"%{i}")
    results.append(f"%v{steps}")
    types = ", ".join([type] * len(results))
    parameters = (
        f"%x: tensor<{'x'.join(map(str, shapes[0]))}xf32>, %y: tensor<{'x'.join(map(str, shapes[1]))}xf32>, "
        f"%bias: tensor<6xf32>, %number: tensor<f32>, %c: {type}"
    )
    body = "\n".join(lines)
    text = f"func.func @main({parameters}) -> ({types}) {{\n{body}\nreturn {', '.join(results)} : {types}\n}}"
    return text, [*shapes, (6,), (), dims]


def fuse(module: ModuleOp) -> list[str]:
    """Fuse what follows products into them; gives the targets of the calls."""
    for each in (RewriteConvolutionsPass(), RewriteGemmsPass(), FuseEpiloguesPass()):
        each.rewrite_module(module)
        module.verify()
    return [op.call_target_name.data for op in operations_of(module, stablehlo.CustomCallOp)]


def expanded(module: ModuleOp, inputs: list[Array]) -> list[Array]:
    ExpandLibraryCallsPass().rewrite_module(module)
    module.verify()
    assert not [*operations_of(module, stablehlo.CustomCallOp)]
    return evaluate(entry_of(module), inputs)


@given(st.randoms(use_true_random=False))
def test_random_epilogues(rng: Random):
    """Integers, so that sums in another order are the same numbers."""
    text, shapes = random_program(rng)
    module = parse_module(text)
    random = np.random.default_rng(0)
    inputs = [np.asarray(random.integers(-4, 5, shape), np.float32) for shape in shapes]
    expected = evaluate(entry_of(module), inputs)
    assert len(fuse(module)) == 1
    for one, other in zip(expanded(module, inputs), expected, strict=True):
        np.testing.assert_array_equal(one, other)


CONVOLUTION = """func.func @main(%x: T, %w: tensor<3x3x2x2xf32>, %s: T, %u: T, %b: tensor<2xf32>, %c: tensor<2xf32>)
    -> T {{
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
    : (T, tensor<3x3x2x2xf32>) -> T
  %two = stablehlo.constant dense<2.0> : T
  %zero = stablehlo.constant dense<0.0> : T
  %p = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<2xf32>) -> T
  %q = stablehlo.broadcast_in_dim %c, dims = [3] : (tensor<2xf32>) -> T
{steps}
  return %r : T
}}"""
FORWARD, WITH_BIAS = "__cudnn$convForward", "__cudnn$convBiasActivationForward"


@pytest.mark.parametrize(
    ("steps", "target", "left"),
    [
        ("%r = stablehlo.multiply %0, %two : T", FORWARD, set()),
        ("%1 = stablehlo.add %0, %s : T\n%r = stablehlo.add %1, %u : T", WITH_BIAS, {"add"}),
        ("%1 = stablehlo.add %0, %p : T\n%r = stablehlo.add %1, %q : T", WITH_BIAS, {"add"}),
        ("%1 = stablehlo.add %0, %p : T\n%r = stablehlo.multiply %1, %two : T", WITH_BIAS, {"multiply"}),
        ("%1 = stablehlo.multiply %0, %two : T\n%r = stablehlo.maximum %1, %zero : T", WITH_BIAS, set()),
        (
            "%1 = stablehlo.maximum %0, %zero : T\n%r = stablehlo.multiply %1, %two : T",
            WITH_BIAS,
            {"multiply"},
        ),
    ],
)
def test_what_follows_a_convolution(steps: str, target: str, left: set[str]):
    """A number before anything is added, then one other tensor, one bias, and a function: what comes later is left."""
    module = parse_module(re.sub(r"\bT\b", "tensor<1x4x4x2xf32>", CONVOLUTION.format(steps=steps)))
    random = np.random.default_rng(0)
    image = (1, 4, 4, 2)
    shapes = [image, (3, 3, 2, 2), image, image, (2,), (2,)]
    inputs = [np.asarray(random.integers(-4, 5, shape), np.float32) for shape in shapes]
    expected = evaluate(entry_of(module), inputs)
    assert fuse(module) == [target]
    kinds = (stablehlo.AddOp, stablehlo.MulOp, stablehlo.MaxOp)
    assert {op.name.partition(".")[2] for op in operations_of(module, *kinds)} == left
    np.testing.assert_array_equal(expanded(module, inputs)[0], expected[0])


GELUS = {
    "JAX": (
        """
        %2 = stablehlo.multiply %g, %g : T
        %3 = stablehlo.multiply %2, %g : T
        %4 = stablehlo.multiply %c, %3 : T
        %5 = stablehlo.add %g, %4 : T
        %6 = stablehlo.multiply %k, %5 : T
        %7 = stablehlo.tanh %6 : T
        %8 = stablehlo.add %one, %7 : T
        %9 = stablehlo.multiply %half, %8 : T
        %r = stablehlo.multiply %g, %9 : T
        """,
        True,
    ),
    "half of the sum": (
        """
        %2 = stablehlo.multiply %g, %g : T
        %3 = stablehlo.multiply %2, %c : T
        %4 = stablehlo.add %one, %3 : T
        %5 = stablehlo.multiply %k, %g : T
        %6 = stablehlo.multiply %5, %4 : T
        %7 = stablehlo.tanh %6 : T
        %8 = stablehlo.multiply %g, %7 : T
        %9 = stablehlo.add %8, %g : T
        %r = stablehlo.multiply %9, %half : T
        """,
        True,
    ),
    "with powers and differences": (
        """
        %two = stablehlo.constant dense<2.0> : T
        %2 = stablehlo.power %g, %two : T
        %3 = stablehlo.multiply %2, %g : T
        %4 = stablehlo.negate %g : T
        %5 = stablehlo.multiply %c, %3 : T
        %6 = stablehlo.subtract %5, %4 : T
        %7 = stablehlo.multiply %k, %6 : T
        %8 = stablehlo.tanh %7 : T
        %9 = stablehlo.add %one, %8 : T
        %10 = stablehlo.divide %9, %two : T
        %r = stablehlo.multiply %g, %10 : T
        """,
        True,
    ),
    "another power": (
        """
        %four = stablehlo.constant dense<4.0> : T
        %2 = stablehlo.power %g, %four : T
        %4 = stablehlo.multiply %c, %2 : T
        %5 = stablehlo.add %g, %4 : T
        %6 = stablehlo.multiply %k, %5 : T
        %7 = stablehlo.tanh %6 : T
        %8 = stablehlo.add %one, %7 : T
        %9 = stablehlo.multiply %half, %8 : T
        %r = stablehlo.multiply %g, %9 : T
        """,
        False,
    ),
    "another sign": (
        """
        %2 = stablehlo.multiply %k, %g : T
        %7 = stablehlo.tanh %2 : T
        %8 = stablehlo.subtract %one, %7 : T
        %9 = stablehlo.multiply %half, %8 : T
        %r = stablehlo.multiply %g, %9 : T
        """,
        False,
    ),
    "without the cube": (
        """
        %2 = stablehlo.multiply %k, %g : T
        %7 = stablehlo.tanh %2 : T
        %8 = stablehlo.add %one, %7 : T
        %9 = stablehlo.multiply %half, %8 : T
        %r = stablehlo.multiply %g, %9 : T
        """,
        False,
    ),
}
"""Ways to write GELU, and functions that are similar."""


@pytest.mark.parametrize("reads_again", [False, True])
@pytest.mark.parametrize("name", GELUS)
def test_gelu(name: str, reads_again: bool):
    body, is_gelu = GELUS[name]
    numbers = {"one": 1.0, "half": 0.5, "c": 0.044715, "k": 0.7978845608}
    constants = "\n".join(f"%{key} = stablehlo.constant dense<{value!r}> : T" for key, value in numbers.items())
    again = "%g" if reads_again else "%r"
    text = (
        "func.func @main(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> (T, T) {\n"
        "%g = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> T\n"
        f"{constants}\n{body}\nreturn %r, {again} : T, T\n}}"
    )
    module = parse_module(re.sub(r"\bT\b", "tensor<4x6xf32>", text))
    random = np.random.default_rng(0)
    inputs = [random.standard_normal(shape, np.float32) for shape in ((4, 8), (8, 6))]
    expected = evaluate(entry_of(module), inputs)
    assert fuse(module) == ["__cublas$lt$matmul" if is_gelu and not reads_again else "__cublas$gemm"]
    for one, other in zip(expanded(module, inputs), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(-3, 3)), max_size=4), st.randoms())
def test_polynomials(terms: list[tuple[int, int, int]], rng: Random):
    """Sums and products have the values of the sums and products of values."""
    parts = [{(one, other): float(number)} for one, other, number in terms]
    x, y = rng.randint(-3, 3), rng.randint(-3, 3)
    total: dict[tuple[int, ...], float] = {}
    product: dict[tuple[int, ...], float] = {(0, 0): 1.0}
    for part in parts:
        total, product = dict(plus(total, part)), dict(times(product, plus(part, {(0, 0): 1})))

    def value(polynomial: dict[tuple[int, ...], float]) -> float:
        return sum(number * x**one * y**other for (one, other), number in polynomial.items())

    values = [value(part) for part in parts]
    assert value(total) == sum(values)
    assert value(product) == np.prod([each + 1 for each in values])
    assert is_equal(total, total) and not is_equal(total, plus(total, {(1, 1): 1.0}))
