"""Conversion between the values of HLO attributes and the properties of operations."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    f32,
    i1,
    i32,
    i64,
)
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute
from xdsl.utils.str_enum import StrEnum

from xshardy.dialects.stablehlo.attributes import Precision, PrecisionAttr, integers
from xshardy.hlo_text.fields import ComputationName

Fields = dict[str, Any]
"""The attributes of an instruction by name, as read by `fields.READERS`."""


@dataclass(frozen=True, slots=True)
class Codec:
    """`encode` converts a value of `fields.READERS` to a property, `decode` converts back."""

    encode: Callable[[Any], Attribute]
    decode: Callable[[Any], Any]


@lru_cache(4096)
def dimension_array(values: Sequence[int]) -> DenseArrayBase[I64]:
    """`values` as 64-bit integers, cached: lists of dimensions repeat."""
    return integers(values)


@lru_cache(4096)
def integer(value: int) -> IntegerAttr:
    """`value` in 64 bits."""
    return IntegerAttr(value, i64)


TRUE, FALSE = IntegerAttr(1, i1), IntegerAttr(0, i1)


def boolean(value: bool) -> IntegerAttr:
    """`value` as a predicate."""
    return TRUE if value else FALSE


def matrix(rows: Sequence[Sequence[int]], columns: int | None = None) -> DenseIntOrFPElementsAttr:
    """Rows as a tensor of 64-bit integers; shorter rows are padded with -1."""
    width = max(map(len, rows), default=0) if columns is None else columns
    flat = [value for row in rows for value in (*row, *(-1,) * (width - len(row)))]
    return DenseIntOrFPElementsAttr.from_list(TensorType(i64, [len(rows), width]), flat)


def rows_of(table: DenseIntOrFPElementsAttr) -> tuple[tuple[int, ...], ...]:
    """The inverse of `matrix`."""
    count, width = table.get_shape()
    flat = cast(tuple[int, ...], table.get_values())
    return tuple(tuple(v for v in flat[i * width : (i + 1) * width] if v != -1) for i in range(count))


def enum_codec(attribute: type[EnumAttribute[Any]], words: Mapping[str, StrEnum]) -> Codec:
    """An enumeration with other names in HLO text: `words` maps these to members."""
    names = {member: word for word, member in words.items()}
    return Codec(lambda word: attribute(words[word]), lambda attr: names[attr.data])


def members(attribute: type[EnumAttribute[Any]]) -> Codec:
    """The members of an enumeration, which the reader of HLO text finds already."""
    return Codec(attribute, lambda attr: attr.data)


AS_IS = Codec(lambda attribute: attribute, lambda attribute: attribute)
"""What the reader of HLO text makes is the property."""
INTEGERS = Codec(dimension_array, lambda attr: tuple(attr.get_values()))
INTEGER = Codec(integer, lambda attr: attr.value.data)
INTEGER_32 = Codec(lambda value: IntegerAttr(value, i32), lambda attr: attr.value.data)
ONE_INTEGER = Codec(lambda values: integer(values[0]), lambda attr: (attr.value.data,))
"""A list of one dimension, `{0}`, that is a number in StableHLO."""
BOOLEAN = Codec(boolean, lambda attr: bool(attr.value.data))
STRING = Codec(StringAttr, lambda attr: attr.data)
FLOAT = Codec(lambda value: FloatAttr(value, f32), lambda attr: attr.value.data)
SYMBOL = Codec(lambda name: SymbolRefAttr(name.name), lambda attr: ComputationName(attr.string_value(), 0))
SYMBOLS = Codec(
    lambda names: ArrayAttr([SymbolRefAttr(name.name) for name in names]),
    lambda attr: tuple(ComputationName(symbol.string_value(), 0) for symbol in attr),
)
PAIRS = Codec(lambda rows: matrix(rows, 2), rows_of)
PRECISIONS = Codec(
    lambda words: ArrayAttr(map(PrecisionAttr, words)), lambda attr: tuple(precision.data for precision in attr)
)
DEFAULT_PRECISION = Precision.DEFAULT


def codec_of(value: object) -> Codec:
    """The codec of a property with the same value as the attribute in HLO text, by the kind of `value`."""
    match value:
        case bool():
            return BOOLEAN
        case int():
            return INTEGER
        case str():
            return STRING
        case ComputationName():
            return SYMBOL
        case tuple() if value and isinstance(value[0], tuple):
            return PAIRS
        case _:
            return INTEGERS


def plain_value(attribute: Attribute) -> Any:
    """The inverse of `codec_of(value).encode`."""
    match attribute:
        case IntegerAttr() if attribute.type == i1:
            return bool(attribute.value.data)
        case IntegerAttr():
            return attribute.value.data
        case StringAttr():
            return attribute.data
        case SymbolRefAttr():
            return SYMBOL.decode(attribute)
        case DenseIntOrFPElementsAttr():
            return rows_of(attribute)
        case _:
            return INTEGERS.decode(attribute)
