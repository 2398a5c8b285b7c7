"""
Seeded inputs of computations, for which results do not depend on the order of computation.

A kernel may combine the elements of a reduction in any order and start every partial result from the initial value. So
the initial value must be neutral, and no partial result of floats may overflow. What is used as an index is mostly in
bounds.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from xshardy.dialects import hlo
from xshardy.dialects.stablehlo.attributes import ComparisonType
from xshardy.dialects.stablehlo.contraction import DotGeneralOp
from xshardy.dialects.stablehlo.convolution import ConvolutionOp
from xshardy.dialects.stablehlo.elementwise_unary import ConvertOp
from xshardy.dialects.stablehlo.normalization import BatchNormGradOp, BatchNormTrainingOp
from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.dialects.stablehlo.scatter import ScatterOp
from xshardy.dialects.stablehlo.select_and_scatter import SelectAndScatterOp
from xshardy.dialects.stablehlo.selection import CompareOp
from xshardy.dialects.stablehlo.shape import BroadcastInDimOp, ReshapeOp
from xshardy.dialects.stablehlo.sorting import SortOp
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.dialects.stablehlo.windows import ReduceWindowOp
from xshardy.interpreters.calls import calls_by_function
from xshardy.interpreters.index_ranges import index_ranges
from xshardy.interpreters.random_elements import GENERATORS, plain_floats, random_inputs
from xshardy.interpreters.random_indices import random_indices
from xshardy.numerics.element_types import BITS, KINDS, SIGNED_INTEGERS, Array, DType, Kind, float_info, stored_dtype

COMBINING = (
    ReduceOp,
    ReduceWindowOp,
    DotGeneralOp,
    ConvolutionOp,
    ScatterOp,
    BatchNormTrainingOp,
    BatchNormGradOp,
    SelectAndScatterOp,
    SortOp,
)
"""Operations that combine many elements in an unspecified order, or compare them in one."""


def inputs_of(
    computation: FuncOp, seed: int, *, only_plain: bool = False, indices_in_bounds: bool = False
) -> list[Array]:
    """
    Inputs of `computation`; the same ones for the same seed.

    Floats are plain numbers around 0 if it combines elements, or with `only_plain`; else some are infinite, NaN and the
    like. Indices are mostly in bounds, with `indices_in_bounds` all.
    """
    generators = GENERATORS
    if only_plain or combined_elements(computation) > 1:
        generators = {**GENERATORS, Kind.FLOAT: plain_floats}
    inputs = random_inputs(computation.function_type.inputs.data, seed, generators)
    for number, value in neutral_parameters(computation).items():
        inputs[number] = np.full_like(inputs[number], value)
    for number, ranges in index_ranges(computation).items():
        inputs[number] = random_indices(
            np.random.default_rng((seed, number)), inputs[number], ranges, indices_in_bounds
        )
    return inputs


def combined_elements(computation: FuncOp) -> int:
    """The largest number of elements that an operation of `computation`, or called there, combines to one; or 1."""
    operations = (op for function in calls_by_function(computation) for op in function.walk())
    return max((_combined(op) for op in operations if isinstance(op, COMBINING)), default=1)


def _combined(op: Operation) -> int:
    read, made = (prod(tensor_type(value).get_shape()) for value in (op.operands[0], op.results[0]))
    match op:
        case ReduceWindowOp():
            return prod(op.window_dimensions.get_values())
        case DotGeneralOp() | ConvolutionOp():
            other = prod(tensor_type(op.operands[1]).get_shape())
            return max(2, read, other)
        case BatchNormTrainingOp() | BatchNormGradOp():
            return max(2, read // max(prod(tensor_type(op.scale).get_shape()), 1))
        case SelectAndScatterOp():
            return max(2, prod(dimension.size for dimension in op.window()))
        case SortOp():
            return 1 if is_total(op.comparator.block) else 2
        case ScatterOp():
            return max(2, prod(tensor_type(op.updates[0]).get_shape()))
        case _:
            return read // made if made else 1


def is_total(comparator: Block) -> bool:
    """Whether a comparator of a sort places NaN; otherwise the order of the others depends on the algorithm."""
    compares = [op for op in comparator.ops if isinstance(op, CompareOp)]
    return all(op.compare_type is not None and op.compare_type.data == ComparisonType.TOTALORDER for op in compares)


NEUTRAL: Mapping[str, Callable[[DType], int | float]] = {
    "stablehlo.add": lambda dtype: 0,
    "stablehlo.multiply": lambda dtype: 1,
    "stablehlo.maximum": lambda dtype: _bounds(dtype)[0],
    "stablehlo.minimum": lambda dtype: _bounds(dtype)[1],
    "stablehlo.and": lambda dtype: True if KINDS[dtype] is Kind.PRED else all_ones(dtype),
    "stablehlo.or": lambda dtype: 0,
    "stablehlo.xor": lambda dtype: 0,
}
"""The neutral element of each combining operation."""


def _bounds(dtype: DType) -> tuple[int | float, int | float]:
    if KINDS[dtype] is Kind.FLOAT:
        return -float_info(dtype).largest, float_info(dtype).largest
    if KINDS[dtype] is Kind.PRED:
        return False, True
    if dtype in SIGNED_INTEGERS.values():
        return -(2 ** (BITS[dtype] - 1)), 2 ** (BITS[dtype] - 1) - 1
    return 0, 2 ** BITS[dtype] - 1


def all_ones(dtype: DType) -> int:
    """The integer with all bits set."""
    return -1 if dtype in SIGNED_INTEGERS.values() else 2 ** BITS[dtype] - 1


def neutral_parameters(computation: FuncOp) -> Mapping[int, int | float]:
    """The parameters that reductions start from, with a neutral value; 0 if none is known."""
    calls = calls_by_function(computation)
    callers = {function.body.block: called_by for function, called_by in calls.items()}
    found: dict[int, int | float] = {}
    for op in (op for function in calls for op in function.walk()):
        if not isinstance(op, ReduceOp | ReduceWindowOp):
            continue
        last = op.body.block.last_op
        assert last is not None
        for init, combined in zip(op.init_values, last.operands, strict=True):
            for parameter in _parameters(init, callers):
                if parameter.block is computation.body.block:
                    by = combined.owner.name if isinstance(combined.owner, Operation) else ""
                    dtype = stored_dtype(tensor_type(parameter).element_type)
                    found[parameter.index] = NEUTRAL[by](dtype) if by in NEUTRAL else 0
    return found


def _parameters(value: SSAValue, callers: Mapping[Block, Sequence[Operation]]) -> Iterator[BlockArgument]:
    """The parameters of functions that `value` is, in its own function and in those that call it."""
    value = _behind_conversions(value)
    if isinstance(value, BlockArgument):
        yield value
        for call in callers.get(value.block, ()):
            yield from _parameters(call.operands[value.index], callers)


def _behind_conversions(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, ConvertOp | ReshapeOp | BroadcastInDimOp | hlo.BitcastOp):
        value = value.owner.operands[0]
    return value
