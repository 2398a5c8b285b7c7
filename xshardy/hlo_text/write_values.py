"""Text of shapes with layouts, and of the values of constants."""

import struct
from collections.abc import Iterator, Sequence
from math import isnan, prod
from typing import cast

from xdsl.dialects.builtin import (
    I64,
    AnyFloat,
    AnyTensorType,
    ArrayAttr,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerType,
    StringAttr,
    TensorType,
    TupleType,
    i1,
)
from xdsl.ir import Attribute

from xshardy.dialects.hlo.instruction import elements
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.calls import contents_of, is_buffer
from xshardy.dialects.stablehlo.types import real_element
from xshardy.hlo_text.layouts import has_default_layout, minor_to_major
from xshardy.hlo_text.literals import NAN_PAYLOAD_BITS
from xshardy.hlo_text.shapes import BUFFER, ELEMENT_NAMES, print_type
from xshardy.ir.hashing import Key, keys_of


class ShapeWriter:
    """Writes shapes, each once."""

    def __init__(self):
        self.arrays: dict[tuple[Key, ...], str] = {}

    def write(self, type: Attribute, layout: Attribute | None = None, memory: Attribute | None = None) -> str:
        """`f32[2,3]{0,1:S(1)}`; of a tuple, `layout` and `memory` have an entry for each array in it."""
        if not isinstance(type, TupleType):
            return self.write_array(type, layout, memory)
        layouts = iter(cast(Sequence[Attribute], layout)) if isinstance(layout, ArrayAttr) else None
        memories = iter(cast(Sequence[Attribute], memory)) if isinstance(memory, ArrayAttr) else None
        return self.write_tuple(type, layouts, memories)

    def write_tuple(
        self, type: TupleType, layouts: Iterator[Attribute] | None, memories: Iterator[Attribute] | None
    ) -> str:
        """`(f32[2,3]{0,1}, s32[])`"""
        texts: list[str] = []
        for part in elements(type):
            if isinstance(part, TupleType):
                texts.append(self.write_tuple(part, layouts, memories))
                continue
            layout = None if layouts is None else next(layouts)
            texts.append(self.write_array(part, layout, None if memories is None else next(memories)))
        return f"({', '.join(texts)})"

    def write_array(self, type: Attribute, layout: Attribute | None, memory: Attribute | None) -> str:
        """`f32[2,3]{1,0}`"""
        key = keys_of([part for part in (type, layout, memory) if part is not None])
        if (text := self.arrays.get(key)) is None:
            text = self.arrays[key] = array_text(type, layout, memory)
        return text


def array_text(type: Attribute, layout: Attribute | None, memory: Attribute | None) -> str:
    """`f32[2,3]{1,0:S(1)}`; `b(f32[2,3]{1,0})` of a buffer, whose type may have a layout of its own."""
    if not is_buffer(type):
        return print_type(type) + layout_text(type, layout, memory)
    contents = contents_of(type)
    layout = layout if has_default_layout(type) else integers(minor_to_major(type))
    return f"{BUFFER}({print_type(contents)}{layout_text(contents, layout, memory)})"


def layout_text(type: Attribute, layout: Attribute | None, memory: Attribute | None) -> str:
    """`{1,0:S(1)}`; nothing for a token, and for a scalar without annotations."""
    if not isinstance(type, TensorType):
        return ""
    rank = cast(AnyTensorType, type).get_num_dims()
    if isinstance(layout, DenseArrayBase):
        order: Sequence[int] = cast(DenseArrayBase[I64], layout).get_values()
    else:
        order = range(rank - 1, -1, -1)
    annotation = f":{memory.data}" if isinstance(memory, StringAttr) and memory.data else ""
    return f"{{{','.join(map(str, order))}{annotation}}}" if rank or annotation else ""


def write_literal(literal: DenseIntOrFPElementsAttr) -> str:
    """`1.5`, `{ {1, 2}, {3, 4} }`"""
    type = cast(AnyTensorType, literal.type)
    texts = element_texts(literal, type.get_element_type())
    shape = list(type.get_shape())
    return nest(texts * prod(shape) if len(texts) == 1 else texts, shape)


def element_texts(literal: DenseIntOrFPElementsAttr, element: Attribute) -> list[str]:
    """The elements, in row-major order, or one for a splat."""
    data = literal.data.data
    if isinstance(element, ComplexType):
        flat = float_texts(data, cast(AnyFloat, real_element(cast(Attribute, element))))
        return [f"({real}, {imaginary})" for real, imaginary in zip(flat[::2], flat[1::2], strict=True)]
    if element == i1:
        return ["true" if value else "false" for value in data]
    if isinstance(element, IntegerType):
        return [str(value) for (value,) in struct.iter_unpack(element.format, data)]
    return float_texts(data, cast(AnyFloat, element))


def float_texts(data: bytes, element: AnyFloat) -> list[str]:
    """The shortest decimals that round to the same numbers; `nan(0x1)` for a NaN with an unusual payload."""
    size = element.compile_time_size
    values = element.unpack(data, len(data) // size)
    return [
        nan_text(int.from_bytes(data[i * size : (i + 1) * size], "little"), ELEMENT_NAMES[element], element.bitwidth)
        if isnan(value)
        else repr(value)
        for i, value in enumerate(values)
    ]


def nan_text(bits: int, name: str, width: int) -> str:
    """A NaN with its sign, and with its payload unless it is the default."""
    sign = "-" if bits >> (width - 1) and "fnuz" not in name else ""
    mantissa_bits = NAN_PAYLOAD_BITS.get(name)
    if mantissa_bits is None:
        return f"{sign}nan"
    payload = bits & ((1 << mantissa_bits) - 1)
    return f"{sign}nan" if payload == 1 << (mantissa_bits - 1) else f"{sign}nan({payload:#x})"


def nest(texts: list[str], shape: list[int]) -> str:
    """`texts` nested in braces, one level per dimension of `shape`."""
    if not shape:
        return texts[0]
    for level, size in enumerate(reversed(shape)):
        count = prod(shape[: len(shape) - level - 1])
        opening, closing = ("{", "}") if level == 0 else ("{ ", " }")
        texts = [f"{opening}{', '.join(texts[i * size : (i + 1) * size])}{closing}" for i in range(count)]
    return texts[0]
