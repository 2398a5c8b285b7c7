"""
The elements of dense literals. A splat takes as much memory as its one element, however large its type is.

xDSL keeps the bytes of all elements of `dense<...>`, one after the other, and repeats those of a splat: the zeros of a
`tensor<100000x100000xf32>` are 40 GB. Here a splat of more than MOST_REPEATED elements keeps the bytes of one, as every
splat does in MLIR; so does a splat of no elements, because its text has one element. Such an attribute is a
`SplatElementsAttr`. xDSL sees a `DenseIntOrFPElementsAttr` with the right number of elements and the right values.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from math import prod
from typing import Any, TypeAlias, TypeVar, cast, overload

from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, DenseResourceAttr, TensorType
from xdsl.ir import Attribute
from xdsl.printer import Printer

from xshardy.ir import new_attribute

MOST_REPEATED = 1 << 16
"""The number of elements up to which a splat repeats its one, which is what passes of xDSL expect."""

Dense: TypeAlias = DenseIntOrFPElementsAttr
Number: TypeAlias = int | float | tuple[int, int] | tuple[float, float]
ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True)
class Repeated(Sequence[ValueT]):
    """A sequence with one value at every index, in the memory of one value."""

    value: ValueT
    length: int

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, index: int) -> ValueT: ...
    @overload
    def __getitem__(self, index: slice) -> "Repeated[ValueT]": ...
    def __getitem__(self, index: int | slice) -> "ValueT | Repeated[ValueT]":
        places = range(self.length)[index]  # raises IndexError as a list does
        return self.value if isinstance(places, int) else Repeated(self.value, len(places))

    def __iter__(self) -> Iterator[ValueT]:
        return repeat(self.value, self.length)

    def __reversed__(self) -> Iterator[ValueT]:
        return iter(self)

    def __contains__(self, value: object) -> bool:
        return self.length > 0 and (value is self.value or value == self.value)

    def count(self, value: object) -> int:
        return self.length if value in self else 0

    def index(self, value: object, start: int = 0, stop: int | None = None) -> int:
        places = range(self.length)[start:stop]
        if not places or value not in self:
            raise ValueError(f"{value} is not in the sequence")
        return places[0]


class _Inheritable:
    """xDSL seals classes of attributes by their `__init_subclass__`; that of this class comes first."""

    def __init_subclass__(cls, **options: object) -> None:
        pass


class SplatElementsAttr(_Inheritable, DenseIntOrFPElementsAttr):
    """
    `dense<v> : type` with the bytes of one element, for types of very many elements, or of none.

    Its `__class__` is that of xDSL: constraints find the class of an attribute by that, and it is equal to what xDSL
    makes of the same bytes.
    """

    @property
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        return DenseIntOrFPElementsAttr

    def __len__(self) -> int:
        return min(element_count(self), sys.maxsize)  # more is no length in Python

    def value(self) -> Number:
        """The value of every element."""
        (value,) = self.get_element_type().unpack(self.data.data, 1)
        return value

    def iter_values(self) -> Iterator[Any]:
        return iter(self.get_values())

    def get_values(self) -> Any:
        return Repeated(self.value(), len(self))

    def iter_attrs(self) -> Iterator[Any]:
        return iter(self.get_attrs())

    def get_attrs(self) -> Any:
        one = DenseIntOrFPElementsAttr(TensorType(self.get_element_type(), []), self.data)
        return Repeated(one.get_attrs()[0], len(self))

    def is_splat(self) -> bool:
        return True

    def print_without_type(self, printer: Printer) -> None:
        printer.print_string("dense")
        with printer.in_angle_brackets():
            self._print_one_elem(cast(float, self.value()), printer)


def dense(type: Any, data: bytes) -> Dense:
    """
    `dense<...> : type` from the bytes of its elements, or from those of one element, which is then every one of them.

    `type` is a tensor, vector or memref of integers, indices, floats or complex numbers, and `data` fits it: neither is
    verified. One literal is one attribute: equal elements are found and kept as one where that is how a splat of the
    type is kept.
    """
    count, size = prod(type.get_shape()), type.element_type.compile_time_size
    if 0 < count <= MOST_REPEATED:
        data = data * count if len(data) == size else data
    elif repeats(data, size):
        return SplatElementsAttr(type, BytesAttr(data[:size]))
    return new_attribute(DenseIntOrFPElementsAttr, type, BytesAttr(data))


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


def has_elements(attribute: Attribute) -> bool:
    """Whether the elements are known: those of a resource may stand at the end of the text, or nowhere."""
    return not isinstance(attribute, DenseResourceAttr)


def is_splat(attribute: Dense) -> bool:
    """Whether all elements are known to have the same bits. 0.0 and -0.0 do not; NaN and NaN do."""
    return has_elements(attribute) and repeats(attribute.data.data, attribute.get_element_type().compile_time_size)


def is_one_for_all(attribute: Dense) -> bool:
    """Whether `attribute` keeps the bytes of one element for all elements that it has."""
    return type(attribute) is SplatElementsAttr


def all_bytes(attribute: Dense) -> bytes:
    """The bytes of all elements, those of a splat repeated. May take much memory."""
    data = attribute.data.data
    return data * element_count(attribute) if is_one_for_all(attribute) else data


def first_values(attribute: Dense, most: int = MOST_REPEATED) -> tuple[Number, ...]:
    """The values of all elements; of a large splat, those of the first `most`: the others are the same."""
    values = cast(Sequence[Number], attribute.get_values())
    return tuple(values[:most]) if is_one_for_all(attribute) else cast(tuple[Number, ...], values)
