"""
Seeded inputs of computations, for which results do not depend on the order of computation.

A kernel may combine the elements of a reduction in any order and start every partial result from the initial value. So
the initial value must be neutral, and no partial result of floats may overflow. What is used as an index is mostly in
bounds.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import prod

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from xshardy.dialects import hlo
from xshardy.dialects.dense_elements import Dense
from xshardy.dialects.quant import UniformQuantizedType
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
from xshardy.facts.neutral_elements import identity_of
from xshardy.interpreters.calls import calls_by_function
from xshardy.interpreters.constants import constant_array
from xshardy.interpreters.index_ranges import index_ranges
from xshardy.interpreters.random_elements import GENERATORS, plain_floats, random_inputs
from xshardy.interpreters.random_indices import random_indices
from xshardy.numerics.element_types import Array, Kind


def inputs_of(
    computation: FuncOp, seed: int, *, only_plain: bool = False, indices_in_bounds: bool = False
) -> list[Array]:
    """
    Inputs of `computation`; the same ones for the same seed.

    Floats are plain numbers around 0 if it combines elements, or with `only_plain`; else some are infinite, NaN and the
    like. Indices are mostly in bounds, with `indices_in_bounds` all.
    """
    generators = GENERATORS
    if only_plain or combines(computation):
        generators = {**GENERATORS, Kind.FLOAT: plain_floats}
    inputs = random_inputs(computation.function_type.inputs.data, seed, generators)
    for number, value in neutral_parameters(computation).items():
        inputs[number] = np.full_like(inputs[number], value)
    for number, ranges in index_ranges(computation).items():
        inputs[number] = random_indices(
            np.random.default_rng((seed, number)), inputs[number], ranges, indices_in_bounds
        )
    return inputs


def combines(computation: FuncOp) -> bool:
    """Whether an operation of `computation`, or called there, combines or compares elements in no given order."""
    return any(combines_elements(op) for function in calls_by_function(computation) for op in function.walk())


def combines_elements(op: Operation) -> bool:
    """Whether the results of `op` depend on an order of its elements that it does not give."""
    match op:
        case ReduceOp():
            read, made = (prod(tensor_type(value).get_shape()) for value in (op.operands[0], op.results[0]))
            return read >= 2 * made > 0
        case ReduceWindowOp():
            return prod(op.window_dimensions.get_values()) > 1
        case SortOp():
            return not is_total(op.comparator.block)
        case _:
            return isinstance(
                op,
                BatchNormGradOp | BatchNormTrainingOp | ConvolutionOp | DotGeneralOp | ScatterOp | SelectAndScatterOp,
            )


def is_total(comparator: Block) -> bool:
    """Whether a comparator of a sort places NaN; otherwise the order of the others depends on the algorithm."""
    compares = [op for op in comparator.ops if isinstance(op, CompareOp)]
    return all(op.compare_type is not None and op.compare_type.data == ComparisonType.TOTALORDER for op in compares)


def neutral_parameters(computation: FuncOp) -> Mapping[int, Array]:
    """The parameters that reductions start from, with a neutral value; 0 if the reduction has none."""
    calls = calls_by_function(computation)
    callers = {function.body.block: called_by for function, called_by in calls.items()}
    found: dict[int, Array] = {}
    for op in (op for function in calls for op in function.walk()):
        if not isinstance(op, ReduceOp | ReduceWindowOp):
            continue
        last = op.body.block.last_op
        assert last is not None
        for init, combined in zip(op.init_values, last.operands, strict=True):
            for parameter in _parameters(init, callers):
                if parameter.block is computation.body.block:
                    neutral = _neutral(combined.owner, tensor_type(parameter).element_type)
                    found[parameter.index] = np.zeros((), np.int8) if neutral is None else constant_array(neutral)
    return found


def _neutral(combiner: Operation | Block, element: Attribute) -> Dense | None:
    """What `combiner` does not notice; of quantized elements, the integer that is stored."""
    stored = element.storage if isinstance(element, UniformQuantizedType) else element
    return identity_of(type(combiner), stored) if isinstance(combiner, Operation) else None


def _parameters(value: SSAValue, callers: Mapping[Block, Sequence[Operation]]) -> Iterator[BlockArgument]:
    """Function parameters that `value` stands for: its own, or those its callers pass on."""
    value = _behind_conversions(value)
    if isinstance(value, BlockArgument):
        yield value
        for call in callers.get(value.block, ()):
            yield from _parameters(call.operands[value.index], callers)


def _behind_conversions(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, ConvertOp | ReshapeOp | BroadcastInDimOp | hlo.BitcastOp):
        value = value.owner.operands[0]
    return value
