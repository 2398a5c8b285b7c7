"""
Shapes of HLO text, `bf16[6,512,4096]{2,1,0}` or a tuple of such, as tensor types and layouts.

A buffer, `b(f32[4])`, is memory that calls write in place. Its type is `memref<4xf32>`, as in StableHLO.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyTensorType,
    MemRefType,
    NoneAttr,
    TensorType,
    TupleType,
)
from xdsl.ir import Attribute

from xshardy.dialects.element_names import ELEMENT_TYPES
from xshardy.dialects.hlo.instruction import elements
from xshardy.dialects.stablehlo.attributes import BoundsAttr
from xshardy.dialects.stablehlo.calls import contents_of, is_buffer
from xshardy.dialects.stablehlo.tuples import tuple_type
from xshardy.dialects.stablehlo.types import SIGNED_BY_NAME, TokenType
from xshardy.hlo_text.errors import HLOPrintError
from xshardy.hlo_text.lexer import COMMENT, MAX_DIGITS, Tokens

ELEMENT_NAMES: Mapping[Attribute, str] = {
    **{type: name for name, type in ELEMENT_TYPES.items()},
    **{type: f"s{type.width.data}" for type in SIGNED_BY_NAME},
}

REFUSED_TYPES: Mapping[str, str] = dict.fromkeys(
    ("s1", "u1"), "StableHLO has no integers of one bit: XLA's conversion makes s1 pred, whose 1 is another number"
)
"""Element types of XLA that no operation here takes, and why."""

COMMENTS = re.compile(COMMENT, re.VERBOSE)
SHAPE = re.compile(r"([a-z][a-z0-9]*)\s*\[([^\]]*)\]\s*(?:\{([0-9,\s]*)(?::([^{}]*))?\})?")
BUFFER = "b"
"""The word with which the shape of a buffer begins: `b(f32[4])`."""
MAX_TUPLE_DEPTH = 100
"""The maximal nesting depth of tuples."""


@dataclass(frozen=True, slots=True)
class ArrayShape:
    """
    An array, a buffer or a token.

    `layout` are the dimensions from minor to major, None for the default order; `annotation` are further layout
    annotations: tiles, the size of an element in bits, the memory space, as in `T(8,128)S(1)`.
    """

    type: Attribute
    layout: tuple[int, ...] | None = None
    annotation: str = ""


@dataclass(frozen=True, slots=True)
class TupleShape:
    """A tuple, possibly nested."""

    elements: tuple["Shape", ...]
    type: Attribute


Shape: TypeAlias = ArrayShape | TupleShape


def leaves(shape: Shape) -> Iterator[ArrayShape]:
    """The arrays in `shape`, in order."""
    if isinstance(shape, ArrayShape):
        yield shape
    else:
        for element in shape.elements:
            yield from leaves(element)


def print_shape(shape: Shape) -> str:
    """`shape` as HLO text has it, without layouts."""
    return print_type(shape.type)


def print_type(type: Attribute) -> str:
    """
    `tensor<2x?xf32, #stablehlo.bounds<?, 3>>` -> `f32[2,<=3]`; `memref<4xf32>` -> `b(f32[4])`; a tuple type ->
    `(f32[2], s32[])`. Raises `HLOPrintError` for elements that HLO does not have.
    """
    if isinstance(type, TupleType):
        return f"({', '.join(map(print_type, elements(type)))})"
    if is_buffer(type):
        return f"{BUFFER}({print_type(contents_of(type))})"
    if not isinstance(type, TensorType):
        return "token[]"
    tensor = cast(AnyTensorType, type)
    sizes = ["?" if size == DYNAMIC_INDEX else str(size) for size in tensor.get_shape()]
    if isinstance(tensor.encoding, BoundsAttr):
        for i, bound in enumerate(tensor.encoding.bounds):
            if bound.data != DYNAMIC_INDEX:
                sizes[i] = f"<={bound.data}"
    if (name := ELEMENT_NAMES.get(tensor.element_type)) is None:
        raise HLOPrintError(f"HLO has no elements of type {tensor.element_type}: convert the {type} to another type")
    return f"{name}[{','.join(sizes)}]"


class ShapeReader:
    """Reads shapes. Equal texts give the same object, so identity comparison usually suffices."""

    def __init__(self, tokens: Tokens):
        self.tokens = tokens
        self.arrays: dict[str, ArrayShape] = {}
        self.buffers: dict[ArrayShape, ArrayShape] = {}
        """Buffers by the shape of their contents."""
        self.tuples: dict[tuple[int, ...], TupleShape] = {}
        """
        Tuples by the identities of their elements, which live as long as this reader: a hash takes as long as a shape
        is large, once for each tuple around it.
        """

    def read(self, depth: int = 0) -> Shape:
        """Step over a shape. Raises `HLOError` if it is missing or invalid."""
        tokens = self.tokens
        if tokens.kinds[tokens.index] == "shape":
            text = tokens.texts[tokens.index]
            tokens.index += 1
            if (shape := self.arrays.get(text)) is None:
                shape = self.arrays[text] = self.parse_array(text)
            return shape
        if self.is_buffer():
            return self.read_buffer()
        if tokens.text != "(":
            tokens.expected("a shape", "write one like `f32[2,3]`, `f32[2,3]{1,0}` or `(f32[], s32[4])`")
        if depth == MAX_TUPLE_DEPTH:
            raise tokens.error(f"tuples are nested more than {MAX_TUPLE_DEPTH} deep")
        shapes = tokens.take_list(lambda: self.read(depth + 1), "(", ")")
        key = tuple([id(shape) for shape in shapes])
        if (tuple_shape := self.tuples.get(key)) is None:
            types = [shape.type for shape in shapes]
            tuple_shape = self.tuples[key] = TupleShape(shapes, tuple_type(types))
        return tuple_shape

    def is_buffer(self) -> bool:
        """Whether the shape of a buffer comes next: `b(`, without white space."""
        tokens = self.tokens
        at = tokens.index
        is_called = tokens.texts[at] == BUFFER and tokens.texts[at + 1] == "("
        return is_called and tokens.starts[at + 1] == tokens.starts[at] + len(BUFFER)

    def read_buffer(self) -> ArrayShape:
        """`b(f32[4]{0})`. Raises `HLOError` for anything but an array with sizes that are known."""
        tokens = self.tokens
        at = tokens.index
        tokens.index += 2
        contents = self.read()
        tokens.expect(")")
        if not isinstance(contents, ArrayShape) or type(contents.type) is not TensorType:
            raise tokens.error(f"a buffer of {print_shape(contents)}", "a buffer holds one array: `b(f32[4])`", at)
        if (buffer := self.buffers.get(contents)) is None:
            tensor = contents.type
            if not tensor.has_static_shape():
                hint = "its memory needs sizes that are known: write `b(f32[4])`"
                raise tokens.error(f"a buffer of {print_shape(contents)}, which has a dynamic dimension", hint, at)
            buffer = replace(contents, type=MemRefType(tensor.element_type, tensor.get_shape()))
            self.buffers[contents] = buffer
        return buffer

    def parse_array(self, text: str) -> ArrayShape:
        """The shape written in the token before the cursor."""
        at = self.tokens.index - 1
        match = SHAPE.fullmatch(COMMENTS.sub(" ", text) if "/" in text else text)
        assert match is not None, "the lexer and this module agree on shapes"
        name, sizes, minor_to_major, annotation = match.groups()
        if name == "token" and not sizes.strip():
            return ArrayShape(TokenType())
        if (why := REFUSED_TYPES.get(name)) is not None:
            raise self.tokens.error(f"the element type {name} is not supported", f"{why}; use s2 or u2", at)
        if (element := ELEMENT_TYPES.get(name)) is None:
            raise self.tokens.error(f"unknown element type '{name}'", f"one of {', '.join(ELEMENT_TYPES)}", at)
        dims = [self.parse_dim(size.strip(), at) for size in sizes.split(",")] if sizes.strip() else []
        shape = [DYNAMIC_INDEX if is_dynamic else size for size, is_dynamic in dims]
        bounds = [size if is_dynamic else DYNAMIC_INDEX for size, is_dynamic in dims]
        encoding = BoundsAttr.of(bounds) if any(bound != DYNAMIC_INDEX for bound in bounds) else NoneAttr()
        type = TensorType(element, shape, encoding)
        return ArrayShape(type, self.parse_layout(minor_to_major, len(dims), at), annotation or "")

    def parse_dim(self, text: str, at: int) -> tuple[int, bool]:
        """
        The size or bound of a dimension, and whether it is a bound: `8`, `<=8`; `?` is a dimension without a bound.
        """
        if text == "?":
            return DYNAMIC_INDEX, True
        digits = text.removeprefix("<=").strip()
        if not digits.isdecimal() or len(digits) > MAX_DIGITS:
            raise self.tokens.error(
                f"'{text[:40]}' is not the size of a dimension", "write a number that is not negative, or `<=8`", at
            )
        if (size := int(digits)) >= 2**63:
            raise self.tokens.error(f"dimension size {size} does not fit into 64 bits", index=at)
        return size, text.startswith("<=")

    def parse_layout(self, text: str | None, rank: int, at: int) -> tuple[int, ...] | None:
        """The minor-to-major order of `{1,0}`; None if omitted or default."""
        if text is None or not text.strip():
            return None
        order = [int(part) if part.strip().isdecimal() and len(part) < 20 else -1 for part in text.split(",")]
        if sorted(order) != list(range(rank)):
            raise self.tokens.error(
                f"layout {{{text}}} is not a permutation of the {rank} dimensions",
                f"the default layout is {{{','.join(map(str, range(rank - 1, -1, -1)))}}}",
                at,
            )
        return None if order == list(range(rank - 1, -1, -1)) else tuple(order)
