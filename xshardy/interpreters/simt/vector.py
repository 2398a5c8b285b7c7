"""Rules for the ops of `vector`. A vector is an array whose dimensions follow those of the lanes: [B, T, ...]."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from xdsl.dialects import vector
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation
from xdsl.ir.affine import AffineDimExpr

from xshardy.dialects.shapes import shape_of
from xshardy.interpreters.simt import access
from xshardy.interpreters.simt.errors import SimtError, shown
from xshardy.interpreters.simt.machine import Lanes, Rule, elementwise
from xshardy.interpreters.simt.memory import Tensor
from xshardy.numerics import floats
from xshardy.numerics.element_types import Array, numpy_dtype
from xshardy.numerics.fused import fused_multiply_add
from xshardy.numerics.integers import as_signed, as_unsigned

# -- Elements of vectors ----------------------------------------------------------------------------------------------


def positions(
    lanes: Lanes, op: vector.ExtractOp | vector.InsertOp, sizes: Sequence[int], dynamic: Sequence[Array]
) -> list[int | Array]:
    """
    The position in a vector, one index per leading dimension: a number, or an array if it differs between lanes.

    Raises `SimtError` if an active lane is out of bounds.
    """
    remaining = iter(dynamic)
    result: list[int | Array] = []
    for dimension, static in enumerate(op.static_position.get_values()):
        index = next(remaining) if static == DYNAMIC_INDEX else int(static)
        if isinstance(index, np.ndarray):
            outside = ((index < 0) | (index >= sizes[dimension])) & lanes.active
            if outside.any():
                place = lanes.first(outside)
                raise SimtError(
                    f"{shown(op)}\n  position {place.of(index)} is out of bounds in dimension {dimension} of size "
                    f"{sizes[dimension]}, in {place}"
                )
            index = int(index[0, 0]) if index.size == 1 else np.clip(index, 0, sizes[dimension] - 1)
        result.append(index)
    return result


def lane_grid(*arrays: Array | int) -> tuple[Array, Array]:
    """Indices for the two dimensions of the lanes, broadcast as the arrays need."""
    shapes = (array.shape[:2] for array in arrays if isinstance(array, np.ndarray))
    shape: tuple[int, ...] = np.broadcast_shapes(*shapes)
    return np.arange(shape[0])[:, None], np.arange(shape[1])[None, :]


def extract(lanes: Lanes, op: vector.ExtractOp, source: Array, *dynamic: Array) -> Array:
    where = positions(lanes, op, shape_of(op.vector), dynamic)
    if all(isinstance(index, int) for index in where):
        return source[(slice(None), slice(None), *where)]
    blocks, threads = lane_grid(source, *where)
    whole = np.broadcast_to(source, (len(blocks), threads.shape[1], *source.shape[2:]))
    return whole[(blocks, threads, *where)]


def insert(lanes: Lanes, op: vector.InsertOp, source: Array, dest: Array, *dynamic: Array) -> Array:
    where = positions(lanes, op, shape_of(op.dest), dynamic)
    blocks, threads = lane_grid(source, dest, *where)
    result = np.broadcast_to(dest, (len(blocks), threads.shape[1], *dest.shape[2:])).copy()
    if all(isinstance(index, int) for index in where):
        result[(slice(None), slice(None), *where)] = source
    else:
        result[(blocks, threads, *where)] = source
    return result


def from_elements(lanes: Lanes, op: Operation, *elements: Array) -> Array:
    stacked = np.stack(np.broadcast_arrays(*elements), axis=-1)
    return stacked.reshape(*stacked.shape[:2], *shape_of(op.results[0]))


# -- Shapes -----------------------------------------------------------------------------------------------------------


def broadcast(lanes: Lanes, op: vector.BroadcastOp, source: Array) -> Array:
    """A scalar, or a vector whose dimensions are the last ones of the result or of size 1."""
    shape = shape_of(op.vector)
    lanes_shape, rest = source.shape[:2], source.shape[2:]
    aligned = source.reshape(*lanes_shape, *(1,) * (len(shape) - len(rest)), *rest)
    return np.broadcast_to(aligned, (*lanes_shape, *shape))


def shape_cast(lanes: Lanes, op: Operation, source: Array) -> Array:
    return source.reshape(*source.shape[:2], *shape_of(op.results[0]))


def bitcast(lanes: Lanes, op: Operation, source: Array) -> Array:
    """The bits of the last dimension read as more or fewer elements of another width."""
    return np.ascontiguousarray(source).view(numpy_dtype(op.results[0].type))


def shuffle(lanes: Lanes, op: vector.ShuffleOp, first: Array, second: Array) -> Array:
    """The elements that the mask numbers, counting through the first vector and then the second."""
    lanes_shape = np.broadcast_shapes(first.shape[:2], second.shape[:2])
    both = np.concatenate([np.broadcast_to(x, (*lanes_shape, *x.shape[2:])) for x in (first, second)], axis=2)
    return both[:, :, list(op.mask.get_values())]


def create_mask(lanes: Lanes, op: vector.CreateMaskOp, *sizes: Array) -> Array:
    """True for the elements whose index is below the size, in each dimension."""
    shape = shape_of(op.mask_vector)
    result = np.ones((1, 1, *shape), np.bool_)
    for dimension, size in enumerate(sizes):
        along = np.arange(shape[dimension]).reshape(along_dimension(dimension, len(shape)))
        result = result & (along < lanes.on_vector(size, result.ndim))
    return result


def along_dimension(dimension: int, rank: int) -> tuple[int, ...]:
    """The shape of an array that runs along one dimension of a vector and is equal in all lanes."""
    return (1, 1, *(-1 if d == dimension else 1 for d in range(rank)))


# -- Memory -----------------------------------------------------------------------------------------------------------


def element_indices(
    lanes: Lanes, op: vector.TransferReadOp | vector.TransferWriteOp, shape: Sequence[int], indices: Sequence[Array]
) -> list[Array]:
    """The tensor indices of each element of the vector, which starts at `indices` and follows the permutation map."""
    rank = len(shape)
    result = [lanes.on_vector(index, 2 + rank) for index in indices]
    for dimension, expr in enumerate(op.permutation_map.data.results):
        if isinstance(expr, AffineDimExpr):  # other results are 0: the vector repeats the element
            steps = np.arange(shape[dimension]).reshape(along_dimension(dimension, rank))
            result[expr.position] = result[expr.position] + steps
    return result


def transfer_mask(
    lanes: Lanes, op: vector.TransferReadOp | vector.TransferWriteOp, rank: int, mask: Sequence[Array]
) -> Array:
    """The elements of the lanes to transfer, according to the op's own mask."""
    active = lanes.on_vector(lanes.active, 2 + rank)
    return active & mask[0] if mask else active


def is_in_bounds(op: vector.TransferReadOp | vector.TransferWriteOp) -> bool:
    """Whether the op promises that no element is out of bounds."""
    return all(bool(flag.value.data) for flag in op.in_bounds)


def transfer_read(lanes: Lanes, op: vector.TransferReadOp, source: Tensor, *operands: Array) -> Array:
    """The elements from the indices on. Elements outside of the tensor are the padding, unless the op is in bounds."""
    rank, shape = len(source.shape), shape_of(op.result)
    indices = element_indices(lanes, op, shape, operands[:rank])
    mask = transfer_mask(lanes, op, len(shape), operands[rank + 1 :])
    padding = lanes.on_vector(operands[rank], 2 + len(shape))
    if not is_in_bounds(op):
        mask = mask & access.in_bounds(source, indices)
    values = access.load(lanes, op, source, indices, mask)
    if is_in_bounds(op) and op.mask is None:
        return values
    return np.where(mask, values, padding)


def transfer_write(lanes: Lanes, op: vector.TransferWriteOp, value: Array, dest: Tensor, *operands: Array) -> Tensor:
    """
    `dest` with the vector written from the indices on.

    Elements outside of `dest` are dropped, unless the op is in bounds.
    """
    rank, shape = len(dest.shape), shape_of(op.vector)
    indices = element_indices(lanes, op, shape, operands[:rank])
    mask = transfer_mask(lanes, op, len(shape), operands[rank:])
    if not is_in_bounds(op):
        mask = mask & access.in_bounds(dest, indices)
    return access.store(lanes, op, dest, indices, value, mask)


# -- Reductions -------------------------------------------------------------------------------------------------------

COMBINERS: Mapping[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "mul": np.multiply,
    "minui": as_unsigned(np.minimum),
    "minsi": as_signed(np.minimum),
    "minnumf": floats.minimum_number,
    "maxui": as_unsigned(np.maximum),
    "maxsi": as_signed(np.maximum),
    "maxnumf": floats.maximum_number,
    "and": as_unsigned(np.bitwise_and),
    "or": as_unsigned(np.bitwise_or),
    "xor": as_unsigned(np.bitwise_xor),
    "minimumf": floats.minimum,
    "maximumf": floats.maximum,
}


def reduction(lanes: Lanes, op: vector.ReductionOp, source: Array, *accumulator: Array) -> Array:
    """All elements combined, one after the other, with the accumulator if there is one."""
    combine = COMBINERS[op.kind.data.value]
    flat = source.reshape(*source.shape[:2], -1)
    result, *more = (*accumulator, *(flat[:, :, i] for i in range(flat.shape[2])))
    for element in more:
        result = combine(result, element)
    return result


VECTOR: Mapping[str, Rule] = {
    "vector.bitcast": bitcast,
    "vector.broadcast": broadcast,
    "vector.create_mask": create_mask,
    "vector.extract": extract,
    "vector.fma": elementwise(fused_multiply_add),
    "vector.from_elements": from_elements,
    "vector.insert": insert,
    "vector.reduction": reduction,
    "vector.shape_cast": shape_cast,
    "vector.shuffle": shuffle,
    "vector.transfer_read": transfer_read,
    "vector.transfer_write": transfer_write,
}
