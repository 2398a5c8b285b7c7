"""Convolutions as calls of cuDNN compute what they did."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.windows import WindowDimension
from xshardy.interpreters.stablehlo import evaluate
from xshardy.launch.prepared_program import entry_of
from xshardy.syntax import parse_module
from xshardy.transforms.hlo.expand_library_calls import ExpandLibraryCallsPass
from xshardy.transforms.hlo.library_calls.convolution import KINDS
from xshardy.transforms.hlo.rewrite_convolutions import ForwardDimension, RewriteConvolutionsPass


def tensor(sizes: dict[str, int], labels: str) -> str:
    return f"tensor<{'x'.join(str(sizes[label]) for label in labels)}xf32>"


def shuffled(rng: Random, labels: str) -> str:
    return "".join(rng.sample(labels, len(labels)))


def random_window(rng: Random, size: int) -> WindowDimension:
    """A dimension of a window that has a position in `size` elements."""
    while True:
        low, high = (rng.choice((0, 0, 1, 1, 2, 3, -1)) for _ in range(2))
        stride = rng.choice((1, 1, 2, 3))
        base = rng.choice((1, 1, 2, 3)) if stride == 1 else 1
        window = WindowDimension(rng.randint(1, 3), stride, base, rng.choice((1, 1, 2)), low, high)
        if window.positions(size) > 0:
            return window


def random_convolution(rng: Random) -> tuple[str, list[tuple[int, ...]]]:
    """A program of a convolution whose filter may be reversed, and the shapes of its parameters."""
    spatial = [rng.randint(1, 7) for _ in range(rng.choice((1, 2, 2, 2, 3)))]
    window = [random_window(rng, size) for size in spatial]
    groups, digits = rng.choice((1, 1, 2)), "".join(map(str, range(len(spatial))))
    batch, inputs, outputs = rng.randint(1, 2), groups * rng.randint(1, 2), groups * rng.randint(1, 3)
    x, w, y = shuffled(rng, "bf" + digits), shuffled(rng, "io" + digits), shuffled(rng, "bf" + digits)
    sizes = [
        {"b": batch, "f": inputs, **dict(zip(digits, spatial, strict=True))},
        {"i": inputs // groups, "o": outputs, **{label: each.size for label, each in zip(digits, window, strict=True)}},
        {"b": batch, "f": outputs}
        | {label: d.positions(size) for label, d, size in zip(digits, window, spatial, strict=True)},
    ]
    types = [tensor(each, labels) for each, labels in zip(sizes, (x, w, y), strict=True)]
    reverse = f", reverse = [{', '.join(['true'] * len(spatial))}]" if rng.random() < 0.3 else ""
    columns = {
        "stride": [d.stride for d in window],
        "pad": [[d.low, d.high] for d in window],
        "lhs_dilate": [d.base_dilation for d in window],
        "rhs_dilate": [d.window_dilation for d in window],
    }
    texts = ", ".join(f"{name} = {values}" for name, values in columns.items())
    labels = "->".join(["x".join(f"[{', '.join(each)}]" for each in (x, w)), f"[{', '.join(y)}]"])
    dims = sorted(w.index(label) for label in (digits if rng.random() < 0.7 else rng.sample(w, rng.randint(1, len(w)))))
    reversed_filter = f"%v = stablehlo.reverse %w, dims = {dims} : {types[1]}\n" if rng.random() < 0.4 else ""
    filter = "%v" if reversed_filter else "%w"
    return (
        f"func.func @main(%x: {types[0]}, %w: {types[1]}) -> {types[2]} {{\n{reversed_filter}"
        f"%0 = stablehlo.convolution(%x, {filter}) dim_numbers = {labels}, window = {{{texts}{reverse}}} "
        f"{{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} "
        f": ({types[0]}, {types[1]}) -> {types[2]}\nreturn %0 : {types[2]}\n}}"
    ), [tuple(each[label] for label in order) for each, order in zip(sizes[:2], (x, w), strict=True)]


@settings(max_examples=60)
@given(st.randoms(use_true_random=False))
def test_random_convolutions(rng: Random):
    text, shapes = random_convolution(rng)
    module = parse_module(text)
    random = np.random.default_rng(0)
    inputs = [random.integers(-4, 5, shape).astype(np.float32) for shape in shapes]
    (expected,) = evaluate(entry_of(module), inputs)
    for each in (RewriteConvolutionsPass(), ExpandLibraryCallsPass()):
        each.rewrite_module(module)
        module.verify()
    (result,) = evaluate(entry_of(module), inputs)
    np.testing.assert_array_equal(result, expected)


def test_which_convolutions_are_calls():
    """All of two or three dimensions without gaps, reversal and negative padding; and calls of each kind."""
    targets: set[str] = set()
    for seed in range(200):
        module = parse_module(random_convolution(Random(seed))[0])
        (op,) = (op for op in module.walk() if isinstance(op, stablehlo.ConvolutionOp))
        window = op.window()
        is_plain = len(window) > 1 and all(d.base_dilation == 1 and d.low >= 0 and d.high >= 0 for d in window)
        RewriteConvolutionsPass().rewrite_module(module)
        calls = [op.call_target_name.data for op in module.walk() if isinstance(op, stablehlo.CustomCallOp)]
        assert calls or not is_plain or op.window_reversal is not None
        targets.update(calls)
    assert targets == KINDS.keys() - {"__cudnn$convBiasActivationForward"}


@pytest.mark.parametrize(
    ("size", "moved", "kernel", "stride", "low", "expected"),
    [
        (8, 8, 3, 1, 1, (1, 0, 0)),  # symmetric as it is
        (8, 4, 3, 2, 0, (0, 0, 1)),  # SAME with a stride: one more at the end
        (9, 4, 3, 2, 0, (0, 0, 0)),  # the last element is not read
        (5, 3, 3, 1, 0, (0, 0, 0)),
        (5, 5, 3, 1, 2, (0, 2, 0)),  # all before
        (5, 4, 3, 1, 1, (0, 1, 0)),
    ],
)
def test_symmetric_padding(size: int, moved: int, kernel: int, stride: int, low: int, expected: tuple[int, int, int]):
    d = ForwardDimension.of(size, moved, kernel, stride, 1, low)
    assert d is not None
    assert (d.window.low, d.low, d.high) == expected
    padded = d.low + size + d.high
    assert WindowDimension(kernel, stride, 1, 1, d.window.low, d.window.high).positions(padded) == moved


@pytest.mark.parametrize(("low", "moved"), [(-1, 3), (1, 1)])
def test_padding_that_cuts_elements_off(low: int, moved: int):
    assert ForwardDimension.of(6, moved, 3, 1, 1, low) is None


@pytest.mark.parametrize("dims", [[0], [1], [0, 1], [0, 1, 2], [2, 3]], ids=str)
def test_filters_that_are_reversed_in_some_dimensions(dims: list[int]):
    """The gradient of an input reads elements two apart, and its filter is reversed: in [0, 1], that is all of it."""
    x, w, y = "tensor<1x3x3x2xf32>", "tensor<3x3x2x2xf32>", "tensor<1x7x7x2xf32>"
    module = parse_module(
        f"func.func @main(%x: {x}, %w: {w}) -> {y} {{\n%v = stablehlo.reverse %w, dims = {dims} : {w}\n"
        "%0 = stablehlo.convolution(%x, %v) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
        "window = {pad = [[2, 2], [2, 2]], lhs_dilate = [2, 2]} "
        f"{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({x}, {w}) -> {y}\nreturn %0 : {y}\n}}"
    )
    random = np.random.default_rng(0)
    inputs = [random.integers(-4, 5, shape).astype(np.float32) for shape in ((1, 3, 3, 2), (3, 3, 2, 2))]
    (expected,) = evaluate(entry_of(module), inputs)
    RewriteConvolutionsPass().rewrite_module(module)
    (call,) = (op for op in module.walk() if isinstance(op, stablehlo.CustomCallOp))
    assert call.call_target_name.data == "__cudnn$convBackwardInput"
    reads_argument = not any(isinstance(op, stablehlo.ReverseOp) and op.result.uses for op in module.walk())
    assert reads_argument == (dims == [0, 1])
    ExpandLibraryCallsPass().rewrite_module(module)
    (result,) = evaluate(entry_of(module), inputs)
    np.testing.assert_array_equal(result, expected)
