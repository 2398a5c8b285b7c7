"""
Seeded inputs of every element type and of computations, for which results do not depend on the order of computation.

A kernel may combine the elements of a reduction in any order and start every partial result from the initial value. So
the initial value must be neutral, and no partial result of floats may overflow.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import TypeAlias

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from xshardy.dialects import hlo
from xshardy.dialects.stablehlo.contraction import DotGeneralOp
from xshardy.dialects.stablehlo.convolution import ConvolutionOp
from xshardy.dialects.stablehlo.elementwise_unary import ConvertOp
from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.dialects.stablehlo.scatter import ScatterOp
from xshardy.dialects.stablehlo.shape import BroadcastInDimOp, ReshapeOp
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.dialects.stablehlo.windows import ReduceWindowOp
from xshardy.indexing.tensor_maps import values_of
from xshardy.interpreters.element_types import (
    BITS,
    KINDS,
    SIGNED_INTEGERS,
    Array,
    DType,
    Kind,
    as_tensor_type,
    float_info,
    numpy_dtype,
)
from xshardy.interpreters.numerics.conversions import convert
from xshardy.interpreters.numerics.integers import wrapped

Generator: TypeAlias = np.random.Generator

SPECIAL_SHARE = 1 / 32
"""The share of special elements in an input: zeros, infinities, NaN, the bounds of the type, and the like."""

PIECE_SIZE = 2**20
"""The number of elements generated at a time."""

# -- Element types ----------------------------------------------------------------------------------------------------


def plain_floats(rng: Generator, size: int, dtype: DType) -> Array:
    """Numbers around 0."""
    return rng.normal(0, 2, size).astype(dtype)


def random_floats(rng: Generator, size: int, dtype: DType) -> Array:
    """Mostly numbers around 0 and 1."""
    info = float_info(dtype)
    bounds = info.largest, -info.largest, info.smallest_subnormal
    specials = np.array([0.0, -0.0, 1.0, -1.0, 0.5, *bounds, np.inf, -np.inf, np.nan])
    is_special = rng.random(size) < SPECIAL_SHARE
    return np.where(is_special, rng.choice(specials, size), rng.normal(0, 2, size)).astype(dtype)


def random_complex(rng: Generator, size: int, dtype: DType) -> Array:
    """Mostly numbers around 0; the special ones are finite, because XLA leaves the results for infinite ones open."""
    numbers = rng.normal(0, 2, size) + 1j * rng.normal(0, 2, size)
    specials = np.array([0, 1, -1, 1j, -1j, 0.5 + 0.5j])
    return np.where(rng.random(size) < SPECIAL_SHARE, rng.choice(specials, size), numbers).astype(dtype)


def random_integers(rng: Generator, size: int, dtype: DType) -> Array:
    """Half of the elements are uniform over the type, the other half are small numbers."""
    bits = rng.integers(0, 2**64, size, dtype=np.uint64)
    lowest = -8 if dtype in SIGNED_INTEGERS.values() else 0
    small = rng.integers(lowest, 8, size).astype(np.uint64)
    bounds = np.array([0, 1, 2**64 - 1, 2 ** (BITS[dtype] - 1), 2 ** (BITS[dtype] - 1) - 1], np.uint64)
    mixed = np.where(rng.random(size) < 0.5, bits, small)
    return wrapped(np.where(rng.random(size) < SPECIAL_SHARE, rng.choice(bounds, size), mixed), dtype)


def random_preds(rng: Generator, size: int, dtype: DType) -> Array:
    return convert(rng.integers(0, 2, size), dtype)


Make: TypeAlias = Callable[[Generator, int, DType], Array]

GENERATORS: Mapping[Kind, Make] = {
    Kind.PRED: random_preds,
    Kind.INTEGER: random_integers,
    Kind.FLOAT: random_floats,
    Kind.COMPLEX: random_complex,
}


def random_inputs(types: Sequence[Attribute], seed: int, generators: Mapping[Kind, Make] = GENERATORS) -> list[Array]:
    """
    An array for each type, a scalar or a tensor of static shape. The same types and seed give the same arrays
    everywhere.
    """
    rng = np.random.default_rng(seed)
    result: list[Array] = []
    for kind in types:
        tensor = as_tensor_type(kind)
        shape = () if tensor is None else tensor.get_shape()
        dtype = numpy_dtype(kind)
        size = int(np.prod(shape, dtype=np.int64))
        result.append(_generate_in_pieces(generators[KINDS[dtype]], rng, size, dtype).reshape(shape))
    return result


def _generate_in_pieces(make: Make, rng: Generator, size: int, dtype: DType) -> Array:
    """`size` elements by `make`, in pieces: `make` takes many times the memory of its result."""
    if size <= PIECE_SIZE:
        return make(rng, size, dtype)
    return np.concatenate([make(rng, min(PIECE_SIZE, size - start), dtype) for start in range(0, size, PIECE_SIZE)])


# -- Computations -----------------------------------------------------------------------------------------------------

COMBINING = (ReduceOp, ReduceWindowOp, DotGeneralOp, ConvolutionOp, ScatterOp)
"""Operations that combine many elements in an unspecified order."""


def inputs_of(computation: FuncOp, seed: int) -> list[Array]:
    """Inputs of `computation`; the same ones for the same seed."""
    generators = GENERATORS
    if combined_elements(computation) > 1:
        generators = {**GENERATORS, Kind.FLOAT: plain_floats}
    inputs = random_inputs(computation.function_type.inputs.data, seed, generators)
    for number, value in neutral_parameters(computation).items():
        inputs[number] = np.full_like(inputs[number], value)
    for number, make in index_parameters(computation).items():
        inputs[number] = make(np.random.default_rng(seed), inputs[number])
    return inputs


def index_parameters(computation: FuncOp) -> Mapping[int, Callable[[Generator, Array], Array]]:
    """The parameters that are indices of a scatter, with generators that keep what the scatter states about them."""
    found: dict[int, Callable[[Generator, Array], Array]] = {}
    for op in computation.walk():
        if isinstance(op, ScatterOp):
            parameters = _parameters_behind(computation, op.scatter_indices)
            found |= dict.fromkeys(parameters, partial(_scatter_indices, op))
    return found


def _parameters_behind(computation: FuncOp, value: SSAValue) -> list[int]:
    """The numbers of the parameters that `value` may depend on."""
    pending, seen, found = [value], set[SSAValue](), list[int]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value.owner, Operation):
            pending += value.owner.operands
        elif isinstance(value, BlockArgument) and value.block is computation.body.block:
            found.append(value.index)
    return found


def _scatter_indices(op: ScatterOp, rng: Generator, like: Array) -> Array:
    """
    Index vectors in the shape of `like`: most of them in bounds, and all distinct if the scatter requires it.

    A `like` with another number of elements is only a part of the indices: its elements are drawn as index vectors of
    one component, for the largest dimension.
    """
    if KINDS[like.dtype] is not Kind.INTEGER:
        return like
    numbers = op.scatter_dimension_numbers
    started = values_of(numbers.scatter_dims_to_operand_dims)
    sizes = [tensor_type(op.inputs[0]).get_shape()[d] for d in started]
    whole = tensor_type(op.scatter_indices).get_shape()
    is_whole = like.size == prod(whole)
    if not is_whole:
        sizes = [max(sizes, default=1)]
    count = like.size // len(sizes) if sizes else 0
    places = prod(sizes)
    if op.unique_indices and op.unique_indices.value.data:
        linear = rng.permutation(max(count, places))[:count]
    else:
        outside = places // 8 + 1
        linear = rng.integers(-outside if like.dtype in SIGNED_INTEGERS.values() else 0, places + outside, count)
    if op.indices_are_sorted and op.indices_are_sorted.value.data:
        linear = np.sort(linear)
    rest, components = linear, list[Array]()
    for size in reversed(sizes[1:]):
        components.append(rest % size)
        rest = rest // size
    vectors = np.stack([rest, *reversed(components)], axis=-1)
    axis = numbers.index_vector_dim.data
    if is_whole and axis < len(whole):
        batch = [size for d, size in enumerate(whole) if d != axis]
        vectors = np.moveaxis(vectors.reshape(*batch, len(sizes)), -1, axis)
    return convert(vectors.reshape(like.shape).astype(np.int64), like.dtype)


def combined_elements(computation: FuncOp) -> int:
    """The largest number of elements that an operation of `computation` combines to one; 1 if none does."""
    return max((_combined(op) for op in computation.walk() if isinstance(op, COMBINING)), default=1)


def _combined(op: Operation) -> int:
    read, made = (prod(tensor_type(value).get_shape()) for value in (op.operands[0], op.results[0]))
    match op:
        case ReduceWindowOp():
            return prod(op.window_dimensions.get_values())
        case DotGeneralOp() | ConvolutionOp():
            other = prod(tensor_type(op.operands[1]).get_shape())
            return max(2, read, other)
        case ScatterOp():
            return max(2, prod(tensor_type(op.updates[0]).get_shape()))
        case _:
            return read // made if made else 1


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
    found: dict[int, int | float] = {}
    for op in computation.walk():
        if not isinstance(op, ReduceOp | ReduceWindowOp):
            continue
        last = op.body.block.last_op
        assert last is not None
        for init, combined in zip(op.init_values, last.operands, strict=True):
            parameter = _behind_conversions(init)
            if isinstance(parameter, BlockArgument) and parameter.block is computation.body.block:
                by = combined.owner.name if isinstance(combined.owner, Operation) else ""
                dtype = numpy_dtype(tensor_type(parameter).element_type)
                found[parameter.index] = NEUTRAL[by](dtype) if by in NEUTRAL else 0
    return found


def _behind_conversions(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, ConvertOp | ReshapeOp | BroadcastInDimOp | hlo.BitcastOp):
        value = value.owner.operands[0]
    return value
