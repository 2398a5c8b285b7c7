"""
The elements of dense literals. A splat takes as much memory as its one element, however large its type is.

xDSL keeps the bytes of all elements of `dense<...>`, one after the other, and repeats those of a splat: the zeros of a
`tensor<100000x100000xf32>` are 40 GB. Here a splat of more than MOST_REPEATED elements keeps the bytes of one, as every
splat does in MLIR; so does one of no elements, whose text has one all the same. xDSL takes such an attribute for a
literal of one element, which it prints and compares as what it is. What reads the elements of literals that may be
large reads them through this module.
"""

from math import prod
from typing import Any, TypeAlias, cast

from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, TensorType

MOST_REPEATED = 1 << 16
"""The number of elements up to which a splat repeats its one, which is what passes of xDSL expect."""

Dense: TypeAlias = DenseIntOrFPElementsAttr[Any]
Number: TypeAlias = int | float | tuple[int, int] | tuple[float, float]


def dense(type: Any, data: bytes) -> Dense:
    """
    `dense<...> : type` from the bytes of its elements, or from those of one element, which is then every one of them.

    `type` is a tensor, vector or memref of integers, indices, floats or complex numbers. One literal is one attribute:
    equal elements are found and kept as one where that is how a splat of the type is kept.
    """
    count, size = prod(type.get_shape()), type.element_type.compile_time_size
    if 0 < count <= MOST_REPEATED:
        data = data * count if len(data) == size else data
    elif repeats(data, size):
        data = data[:size]
    return DenseIntOrFPElementsAttr(type, BytesAttr(data))


def zeros(type: Any) -> Dense:
    """`dense<0> : type`, in the form of zero that its elements have."""
    return dense(type, bytes(type.element_type.compile_time_size))


def dense_values(type: Any, values: Any) -> Dense:
    """As xDSL's `DenseIntOrFPElementsAttr.from_list`: one value is that of every element."""
    if len(values) == 1:
        return dense(type, DenseIntOrFPElementsAttr.from_list(TensorType(type.element_type, []), values).data.data)
    return DenseIntOrFPElementsAttr.from_list(type, values)


def element_count(attribute: Dense) -> int:
    """How many elements the type of `attribute` has."""
    return prod(attribute.get_shape())


def repeats(data: bytes, size: int) -> bool:
    """Whether `data` is some number of times, but not 0, the same `size` bytes."""
    element = data[:size]
    return bool(data) and data.endswith(element) and data == element * (len(data) // size)


def is_splat(attribute: Dense) -> bool:
    """Whether all elements have the same bits. 0.0 and -0.0 do not; NaN and NaN do."""
    return repeats(attribute.data.data, attribute.get_element_type().compile_time_size)


def is_one_for_all(attribute: Dense) -> bool:
    """Whether `attribute` keeps the bytes of one element for all elements that it has."""
    return len(attribute) == 1 != element_count(attribute)


def all_bytes(attribute: Dense) -> bytes:
    """The bytes of all elements, those of a splat repeated. May take much memory."""
    data = attribute.data.data
    return data * element_count(attribute) if is_one_for_all(attribute) else data


def first_values(attribute: Dense, most: int = MOST_REPEATED) -> tuple[Number, ...]:
    """The values of all elements; of a large splat, those of the first `most`: the others are the same."""
    values = cast(tuple[Number, ...], attribute.get_values())
    return values * min(most, element_count(attribute)) if is_one_for_all(attribute) else values
