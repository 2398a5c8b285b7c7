"""The operations that replace a deprecated one compute the same."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from xshardy.interpreters.stablehlo import evaluate
from xshardy.syntax import parse_module
from xshardy.transforms.stablehlo.legalize_deprecated_ops import LegalizeDeprecatedOpsPass
from xshardy.universe import new_context

SIZES = dict(zip("abcdef", (2, 3, 4, 5, 1, 2), strict=True))
LABELS = st.lists(st.sampled_from("abcdef"), max_size=4, unique=True).map("".join)


def type_of(shape: tuple[int, ...], element: str = "f32") -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def assert_replaced(body: str, operands: list[np.ndarray], result: str) -> None:
    """The module of one function with `body` has the same result before and after the pass."""
    elements = {np.dtype(np.float32): "f32", np.dtype(np.int32): "i32"}
    types = [type_of(x.shape, elements[x.dtype]) for x in operands]
    arguments = ", ".join(f"%{i}: {type}" for i, type in enumerate(types))
    operation = f"%r = {body} : ({', '.join(types)}) -> {result}"
    module = parse_module(f"func.func @main({arguments}) -> {result} {{\n{operation}\nreturn %r : {result}\n}}")
    (want,) = evaluate(module.ops.first, operands)  # pyright: ignore[reportArgumentType]
    LegalizeDeprecatedOpsPass().apply(new_context(), module)
    module.verify()
    deprecated = body.partition(" ")[0].strip('"').partition('"')[0]
    assert not any(op.name == deprecated for op in module.walk())
    (got,) = evaluate(module.ops.first, operands)  # pyright: ignore[reportArgumentType]
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def numbers(labels: str, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-3, 4, [SIZES[label] for label in labels]).astype(np.float32)


@given(LABELS, LABELS, st.data())
def test_an_einsum_becomes_a_dot_product(lhs: str, rhs: str, data: st.DataObject):
    out = "".join(data.draw(st.lists(st.sampled_from(lhs + rhs or "a"), unique=True, max_size=5))) if lhs + rhs else ""
    shape = tuple(SIZES[label] for label in out)
    body = f'stablehlo.einsum %0, %1, config = "{lhs},{rhs}->{out}"'
    assert_replaced(body, [numbers(lhs, 0), numbers(rhs, 1)], type_of(shape))


def test_the_dimensions_of_an_ellipsis_are_aligned_at_its_end():
    operands = [numbers("abc", 0), numbers("dbc", 1)]
    assert_replaced('stablehlo.einsum %0, %1, config = "a...,d...->...da"', operands, type_of((3, 4, 5, 2)))


@given(LABELS.filter(len), st.data())
def test_a_unary_einsum_becomes_a_sum(labels: str, data: st.DataObject):
    out = "".join(data.draw(st.lists(st.sampled_from(labels), unique=True)))
    shape = tuple(SIZES[label] for label in out)
    assert_replaced(f'stablehlo.unary_einsum %0, config = "{labels}->{out}"', [numbers(labels, 0)], type_of(shape))


@given(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2))
def test_a_torch_index_select_becomes_a_gather(dim: int, batches: int, more: int):
    batches = min(batches, dim)
    x = np.random.default_rng(0).random((3, 4, 2, 5), np.float32)
    index_shape = (*x.shape[:batches], *(3, 2)[:more])
    index = np.random.default_rng(1).integers(-2, 8, index_shape).astype(np.int32)
    shape = (*x.shape[:dim], *index_shape[batches:], *x.shape[dim + 1 :])
    body = f'"stablehlo.torch_index_select"(%0, %1) {{dim = {dim} : i64, batch_dims = {batches} : i64}}'
    assert_replaced(body, [x, index], type_of(shape))
