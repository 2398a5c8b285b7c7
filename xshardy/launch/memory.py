"""Tensors as bytes in memory: elements in the order of the layout, those of less than a byte packed."""

import numpy as np

from xshardy.launch.leaves import Leaf
from xshardy.numerics.element_types import Array, numpy_dtype, packed, unpacked


def to_memory(array: Array, leaf: Leaf) -> Array:
    """The bytes of `array`, the elements of the tensor `leaf`."""
    return packed(np.ascontiguousarray(array.transpose(leaf.layout[::-1])))


def from_memory(data: Array, leaf: Leaf) -> Array:
    """The elements of the tensor `leaf`, whose bytes are `data`."""
    order = leaf.layout[::-1]
    shape = leaf.type.get_shape()
    like = np.empty([shape[dimension] for dimension in order], numpy_dtype(leaf.type))
    return unpacked(data, like).transpose(np.argsort(order))
