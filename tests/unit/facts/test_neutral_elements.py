"""Neutral elements, against the evaluator: they change no element of any type."""

import numpy as np
import pytest
from xdsl.dialects.builtin import AnyFloat, ComplexType, Float8E8M0FNUType, IntegerType, TensorType, i1
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from xshardy.dialects import stablehlo
from xshardy.dialects.quant import UniformQuantizedType
from xshardy.dialects.stablehlo.types import ANY_ELEMENT
from xshardy.facts.neutral_elements import NUMBERS, identity_of
from xshardy.interpreters.stablehlo import evaluate
from xshardy.numerics.element_types import Array, numpy_dtype
from xshardy.syntax import parse_module

KINDS = (*NUMBERS, stablehlo.MaxOp, stablehlo.MinOp)
OF_INTEGERS_ONLY = (stablehlo.AndOp, stablehlo.OrOp, stablehlo.XorOp)


def elements_of(element: Attribute) -> Array:
    """All elements of narrow types, and some of wide ones; no NaNs, as they are equal to nothing."""
    dtype = numpy_dtype(element)
    if isa(element, IntegerType) and element.width.data < 8:
        return np.arange(1 << element.width.data, dtype=np.uint8).astype(dtype)
    if dtype.itemsize == 1:
        bits = element.bitwidth if isinstance(element, AnyFloat) else 8
        values = np.arange(1 << bits, dtype=np.uint8).view(dtype)
    else:
        values = np.random.default_rng(0).integers(0, 256, 1024 * dtype.itemsize, dtype=np.uint8).view(dtype)
    with np.errstate(invalid="ignore"):
        return values[values == values]


def combined(kind: type[Operation], element: Attribute, neutral: object, values: Array) -> Array:
    """What `kind` makes of each of `values` and the constant `neutral`."""
    type = TensorType(element, values.shape)
    (found,) = evaluate(
        parse_module(f"""func.func @main(%x: {type}) -> {type} {{
          %n = stablehlo.constant {neutral}
          %0 = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<{element}>) -> {type}
          %1 = {kind.name} %x, %0 : {type}
          return %1 : {type}
        }}"""),
        [values],
    )
    return found


@pytest.mark.parametrize("element", sorted(ANY_ELEMENT, key=str), ids=str)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_no_element_changes(kind: type[Operation], element: Attribute):
    if kind in OF_INTEGERS_ONLY and not isa(element, IntegerType):
        return
    neutral = identity_of(kind, element)
    if neutral is None:
        is_ordered = not isinstance(element, ComplexType)
        assert isinstance(element, Float8E8M0FNUType) or (not is_ordered and kind in (stablehlo.MaxOp, stablehlo.MinOp))
        return
    values = elements_of(element)
    np.testing.assert_array_equal(combined(kind, element, neutral, values), values)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_none_is_known_of_quantized_elements(kind: type[Operation]):
    module = parse_module("func.func private @f(tensor<!quant.uniform<i8:f32, 2.0>>)")
    (quantized,) = (each.element_type for op in module.ops for each in op.function_type.inputs)  # pyright: ignore
    assert isinstance(quantized, UniformQuantizedType)
    assert identity_of(kind, quantized) is None


@pytest.mark.parametrize("kind", [stablehlo.SubtractOp, stablehlo.DivOp])
def test_other_combiners_have_none(kind: type[Operation]):
    assert identity_of(kind, i1) is None
