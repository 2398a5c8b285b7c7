"""Products of tensors quantized in blocks, beside products of the tensors that they stand for."""

import ml_dtypes
import numpy as np
import pytest
from xdsl.utils.exceptions import InterpretationError

from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.stablehlo import evaluate
from xshardy.numerics.element_types import Array

TYPES = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "f8e4m3fn": ml_dtypes.float8_e4m3fn}


def product(operands: list[tuple[str, tuple[int, ...]]], dims: str, result: str) -> tuple[Array, list[Array]]:
    """The evaluated scaled-dot of seeded operands, and these as f32."""
    rng = np.random.default_rng(0)
    arrays = [rng.choice([0.25, 0.5, 1, -2, 4], shape).astype(TYPES[type]) for type, shape in operands]
    shapes = [f"{type}[{','.join(map(str, shape))}]" for type, shape in operands]
    parameters = "\n".join(f"  p{i} = {shape} parameter({i})" for i, shape in enumerate(shapes))
    text = f"HloModule m\nENTRY e {{\n{parameters}\n  ROOT r = {result} scaled-dot(p0, p1, p2, p3), {dims}\n}}\n"
    (found,) = evaluate(parse_hlo(text), arrays)
    return found.astype(np.float32), [array.astype(np.float32) for array in arrays]


@pytest.mark.parametrize(
    ("types", "result"),
    [
        (["f32"] * 4, "f32[3,4,5]"),
        (["f8e4m3fn"] * 4, "f32[3,4,5]"),
        (["f8e4m3fn", "bf16", "f8e4m3fn", "bf16"], "bf16[3,4,5]"),
    ],
)
def test_each_block_is_multiplied_by_its_factor(types: list[str], result: str):
    shapes = [(3, 4, 8), (3, 8, 5), (3, 2, 2), (1, 8, 5)]
    dims = "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}"
    found, (x, y, s, r) = product(list(zip(types, shapes, strict=True)), dims, result)
    expected = (x * s.repeat(2, 1).repeat(4, 2)) @ (y * r.repeat(3, 0))
    np.testing.assert_allclose(found, expected, rtol=2e-2 if result.startswith("bf16") else 1e-6)


def test_a_scalar_is_no_factor():
    operands = [("f32", (4, 8)), ("f32", (8, 5)), ("f32", ()), ("f32", (2, 5))]
    found, (x, y, _, r) = product(operands, "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "f32[4,5]")
    np.testing.assert_allclose(found, x @ (y * r.repeat(4, 0)))


def test_blocks_that_do_not_cover_a_tensor_are_refused():
    operands = [("f32", (4, 8)), ("f32", (8, 5)), ("f32", (4, 3)), ("f32", (8, 5))]
    with pytest.raises(
        InterpretationError, match=r"factors of shape \[4, 3\] for blocks of a tensor of shape \[4, 8\]"
    ):
        product(operands, "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "f32[4,5]")
