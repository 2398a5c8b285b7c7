"""Rules for the ops of `tensor`: they access memory, or view it with another shape."""

from collections.abc import Mapping
from math import prod

import numpy as np
from xdsl.dialects import tensor
from xdsl.ir import Operation

from xshardy.interpreters.simt import access, memory
from xshardy.interpreters.simt.errors import SimtError, shown
from xshardy.interpreters.simt.machine import Lanes, Rule
from xshardy.interpreters.simt.memory import Buffer, Tensor
from xshardy.numerics.element_types import Array, as_tensor_type, numpy_dtype


def extract(lanes: Lanes, op: tensor.ExtractOp, source: Tensor, *indices: Array) -> Array:
    return access.load(lanes, op, source, indices, lanes.active)


def insert(lanes: Lanes, op: tensor.InsertOp, scalar: Array, dest: Tensor, *indices: Array) -> Tensor:
    return access.store(lanes, op, dest, indices, scalar, lanes.active)


def dim(lanes: Lanes, op: tensor.DimOp, source: Tensor, dimension: Array) -> Array:
    return np.array(source.shape, np.int64)[dimension]


def reshape(lanes: Lanes, op: Operation, source: Tensor, *sizes: Array) -> Tensor:
    """The same elements in the same memory order, with the shape of the result."""
    kind = as_tensor_type(op.results[0].type)
    if kind is None or prod(kind.get_shape()) != prod(source.shape):
        raise SimtError(f"{shown(op)}\n  expected a tensor of as many elements as the operand has")
    return source.reshaped(kind)


def bitcast(lanes: Lanes, op: Operation, source: Tensor) -> Tensor:
    """The bits of each element read as another type. Writes to one of the two are not visible in the other."""
    buffer = source.buffer
    if buffer.writer is not None:
        raise SimtError(f"{shown(op)}\n  {buffer.name} has been written to: bitcast its elements as they are read")
    seen = Buffer(buffer.name, buffer.data.view(numpy_dtype(op.results[0].type)), buffer.elements_per_block)
    return Tensor(seen, source.shape, source.strides, source.time)


def private(lanes: Lanes, op: Operation, elements: Array) -> Tensor:
    """A tensor of `elements` that are equal in all lanes. Raises `SimtError` if they are not."""
    kind = as_tensor_type(op.results[0].type)
    assert kind is not None
    if elements.shape[:2] != (1, 1):
        raise SimtError(f"{shown(op)}\n  a tensor of values that differ between threads has no place in memory")
    shape = kind.get_shape()
    return memory.constant_tensor(f"the result of {op.name}", np.broadcast_to(elements[0, 0], shape), kind)


def from_elements(lanes: Lanes, op: tensor.FromElementsOp, *elements: Array) -> Tensor:
    stacked = np.stack(np.broadcast_arrays(*elements), axis=-1)
    return private(lanes, op, stacked.reshape(*stacked.shape[:-1], *op.result.type.get_shape()))


def empty(lanes: Lanes, op: tensor.EmptyOp, *sizes: Array) -> Tensor:
    return private(lanes, op, np.zeros((1, 1), numpy_dtype(op.tensor.type)))


def splat(lanes: Lanes, op: tensor.SplatOp, value: Array, *sizes: Array) -> Tensor:
    return private(lanes, op, value)


TENSOR: Mapping[str, Rule] = {
    "tensor.bitcast": bitcast,
    "tensor.cast": reshape,
    "tensor.collapse_shape": reshape,
    "tensor.dim": dim,
    "tensor.empty": empty,
    "tensor.expand_shape": reshape,
    "tensor.extract": extract,
    "tensor.from_elements": from_elements,
    "tensor.insert": insert,
    "tensor.splat": splat,
}
