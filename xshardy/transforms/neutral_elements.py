"""The elements that a reduction does not notice: 0 for a sum, the smallest value for a maximum."""

from collections.abc import Mapping

import numpy as np
from xdsl.dialects.builtin import IntegerType, Signedness, TensorType, i1
from xdsl.ir import Attribute, Block, Operation
from xdsl.utils.hints import isa

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import Dense, dense, dense_values
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.interpreters.element_types import float_info, numpy_dtype

ZERO_OR_ONE: Mapping[type[Operation], int] = {
    stablehlo.AddOp: 0,
    stablehlo.OrOp: 0,
    stablehlo.AndOp: 1,
    stablehlo.MulOp: 1,
}
"""The neutral element of each combiner that has 0 or 1 as one."""


def _limit(element: Attribute, *, largest: bool) -> int | float:
    """The largest or smallest value of this type: an infinity, if the type has infinities."""
    if not isa(element, IntegerType):
        dtype = numpy_dtype(element)
        infinity = float(np.array([np.inf]).astype(dtype)[0])
        limit = infinity if np.isinf(infinity) else float_info(dtype).largest
        return limit if largest else -limit
    if element == i1 or element.signedness.data is Signedness.UNSIGNED:
        return (1 << element.width.data) - 1 if largest else 0
    half = 1 << (element.width.data - 1)
    return half - 1 if largest else -half


def identity_of(kind: type[Operation], element: Attribute) -> Dense | None:
    """The neutral element of `kind` as a scalar; None if it has none."""
    scalar = TensorType(element, [])
    if kind in ZERO_OR_ONE and isinstance(element, IntegerType):
        return dense_values(scalar, [ZERO_OR_ONE[kind]])
    if kind in ZERO_OR_ONE:
        return dense(scalar, np.array(ZERO_OR_ONE[kind], numpy_dtype(element)).tobytes())
    if kind in (stablehlo.MaxOp, stablehlo.MinOp):
        return dense_values(scalar, [_limit(element, largest=kind is stablehlo.MinOp)])
    return None


def neutral_element(body: Block) -> Dense | None:
    """The scalar that `body`, a reduction of two elements by one operation, does not notice; None if there is none."""
    end = body.last_op
    if not isinstance(end, stablehlo.ReturnOp) or len(body.args) != 2 or len(end.operands) != 1:
        return None
    op = end.operands[0].owner
    if not isinstance(op, Operation) or {*op.operands} != {*body.args}:
        return None
    return identity_of(type(op), tensor_type(end.operands[0]).element_type)
