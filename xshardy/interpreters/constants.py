"""The values of constant attributes as numpy arrays."""

import numpy as np
from xdsl.dialects import builtin
from xdsl.ir import Attribute
from xdsl.utils.exceptions import InterpretationError

from xshardy.numerics.element_types import KINDS, Array, Kind, numpy_dtype
from xshardy.numerics.integers import wrapped


def constant_array(value: Attribute) -> Array:
    """
    The value of a constant op: an array without dimensions for a number, an array of its shape for `dense<...>`.

    Raises `InterpretationError` for any other attribute.
    """
    match value:
        case builtin.IntegerAttr():
            bits = np.array(value.value.data % 2**64, np.uint64)
            return wrapped(bits, numpy_dtype(value.type))
        case builtin.FloatAttr():
            return np.array(value.value.data).astype(numpy_dtype(value.type))
        case builtin.DenseIntOrFPElementsAttr():
            return dense_array(value)
        case _:
            raise InterpretationError(f"constant {value}: expected a number, or dense<...> of numbers")


def dense_array(value: builtin.DenseIntOrFPElementsAttr) -> Array:
    """The elements of `dense<...>` in its shape. The attribute stores integers of fewer than 8 bits in a byte each."""
    dtype = numpy_dtype(value.type)
    shape = value.get_shape()
    narrow = KINDS[dtype] in (Kind.PRED, Kind.INTEGER) and dtype.itemsize == 1
    elements = np.frombuffer(value.data.data, np.int8 if narrow else dtype)
    if narrow:
        elements = wrapped(elements, dtype)
    return np.broadcast_to(elements.reshape(()), shape) if elements.size == 1 else elements.reshape(shape)
