"""The values that do not depend on the arguments of their function."""

from collections.abc import Mapping

import numpy as np
from xdsl.ir import Operation, SSAValue

from xshardy.dialects.shapes import shape_of
from xshardy.interpreters.stablehlo.elementwise import ELEMENTWISE
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.quantized import is_on_floats
from xshardy.interpreters.stablehlo.rules import Results, Rule
from xshardy.interpreters.stablehlo.shapes import SHAPES
from xshardy.numerics.element_types import Array

COMPUTED: Mapping[type[Operation], Rule] = {**ELEMENTWISE, **SHAPES}
"""The operations that are computed: those of one result, without regions and calls."""

LARGEST = 2**22
"""The largest number of elements of a value that is computed."""


def constant_value(value: SSAValue) -> Array | None:
    """The value computed from constants and iotas alone; None for others, and for very large ones."""
    known: dict[SSAValue, Array | None] = {}
    with np.errstate(all="ignore"):
        return _constant(value, Evaluator(COMPUTED, {}), known)


def _constant(value: SSAValue, evaluator: Evaluator, known: dict[SSAValue, Array | None]) -> Array | None:
    if value not in known:
        known[value] = None
        op = value.owner
        if isinstance(op, Operation) and type(op) in COMPUTED and not is_on_floats(op):
            small = all(np.prod(shape_of(v), dtype=float) <= LARGEST for v in (value, *op.operands))
            operands = [_constant(operand, evaluator, known) for operand in op.operands] if small else [None]
            arrays = [operand for operand in operands if operand is not None]
            if len(arrays) == len(operands):
                result: Results = COMPUTED[type(op)](evaluator, op, *arrays)
                assert isinstance(result, np.ndarray | np.generic)
                known[value] = np.asarray(result)
    return known[value]
