"""The values of constants: `1.5`, `{ {1, 2}, {3, 4} }`, `(1, -inf)`, `nan(0x1234)`, as dense elements attributes."""

import math
from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    AnyTensorType,
    ComplexType,
    DenseIntOrFPElementsAttr,
    IntegerType,
    i1,
)
from xdsl.ir import Attribute

from xshardy.dialects.dense_elements import dense
from xshardy.dialects.hlo import ElidedConstantOp
from xshardy.dialects.stablehlo.types import bit_width, real_element
from xshardy.hlo_text.lexer import Tokens, to_int
from xshardy.hlo_text.shapes import ELEMENT_NAMES
from xshardy.numerics.float_ranges import is_finite_in, largest_finite, smallest_finite

NAN_PAYLOAD_BITS: Mapping[str, int] = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}
"""The width of the mantissa of types with NaN payloads in text, `nan(0x1)`."""

BOOLEANS: Mapping[str, int] = {"false": 0, "true": 1, "0": 0, "1": 1}


MOST_AFTER_BARE_NUMBER = 1 << 26
"""The most elements of a constant that is written as one number other than 0."""


def read_literal(tokens: Tokens, type: AnyTensorType) -> DenseIntOrFPElementsAttr:
    """
    Step over the literal of a constant of `type`.

    Raises `HLOError` if it does not fit.
    """
    return dense(type, read_elements(tokens, type))


def read_elements(tokens: Tokens, type: AnyTensorType) -> bytes:
    """
    The bytes of the elements of a literal in row-major order, or those of one for zeros.

    A number without braces is the first element, and the others are 0: so XLA reads it.
    """
    start = tokens.index
    element = type.get_element_type()
    count = math.prod(type.get_shape())
    is_bare = tokens.text != "{" and not isinstance(element, ComplexType) and count > 0
    texts = read_texts(tokens, () if is_bare else type.get_shape(), isinstance(element, ComplexType))
    if isinstance(element, IntegerType):
        elements = integers_from_texts(tokens, texts, cast(IntegerType, element), start)
    else:
        elements = floats_from_texts(tokens, texts, cast(AnyFloat, real_element(cast(Attribute, element))), start)
    if not is_bare or not any(elements):
        return elements
    if count > MOST_AFTER_BARE_NUMBER:
        message = f"a number without braces is the first of {count} elements, of which the others are 0"
        raise tokens.error(message, "if all are to be equal, write a broadcast", start)
    return elements.ljust(count * len(elements), b"\0")


def read_texts(tokens: Tokens, shape: Sequence[int], is_complex: bool) -> list[str]:
    """
    The numbers of a literal of `shape`, as written; two for each complex number.

    The nesting depth of braces is the rank, and the number of elements per brace the size of the dimension. Commas may
    be left out, as in XLA.
    """
    texts: list[str] = []
    counts: list[int] = []
    rank = len(shape)
    while True:
        text = tokens.texts[tokens.index]
        depth = len(counts)
        if depth == rank and text not in ("}", ","):
            read_number(tokens, texts, is_complex)
            if not counts:
                return texts
            counts[-1] += 1
        elif text == "{":
            if tokens.texts[tokens.index + 1] == "...":
                raise tokens.error(ElidedConstantOp.ERROR)
            counts.append(0)
            tokens.index += 1
            continue
        elif text == "}" and counts:
            if (count := counts.pop()) != shape[depth - 1]:
                raise tokens.error(f"dimension {depth - 1} has {shape[depth - 1]} elements, but {count} are given here")
            tokens.index += 1
            if not counts:
                return texts
            counts[-1] += 1
        else:
            tokens.expected("'{'" if depth < rank else "an element")
        tokens.accept(",")


def read_number(tokens: Tokens, texts: list[str], is_complex: bool) -> None:
    """Step over one element and append its text, or the texts of real and imaginary part."""
    if not is_complex:
        texts.append(read_scalar(tokens))
        return
    tokens.expect("(", ": a complex number is written `(1, 2)`")
    texts.append(read_scalar(tokens))
    tokens.expect(",")
    texts.append(read_scalar(tokens))
    tokens.expect(")")


def read_scalar(tokens: Tokens) -> str:
    """Step over a number, `true`, `inf`, `nan` or `nan(0x1)` and return it as written."""
    text = tokens.text
    if tokens.kind == "number" or text in ("true", "false", "inf", "nan"):
        tokens.index += 1
        if text.endswith("nan") and tokens.accept("("):
            payload = tokens.take("number", "the bits of a NaN")
            tokens.expect(")")
            return f"{text}({payload})"
        return text
    tokens.expected("a number")


def integers_from_texts(tokens: Tokens, texts: Sequence[str], type: IntegerType, start: int) -> bytes:
    """The bytes of integers and predicates. Raises `HLOError` for a number that is no integer, or out of range."""
    if type == i1:
        if bad := next((text for text in texts if text not in BOOLEANS), None):
            raise tokens.error(f"'{bad}' is not a value of type pred", "write true or false", start)
        return type.pack([-BOOLEANS[text] for text in texts])
    for text in texts:
        if not text.removeprefix("-").isdecimal():
            raise tokens.error(f"'{text}' is not a value of type {ELEMENT_NAMES[type]}", "write an integer", start)
    values = [to_int(tokens, text) for text in texts]
    is_unsigned = type in UNSIGNED_TYPES
    low, high = (
        (0, 2 ** bit_width(type)) if is_unsigned else (-(2 ** (bit_width(type) - 1)), 2 ** (bit_width(type) - 1))
    )
    if bad := [value for value in values if not low <= value < high]:
        raise tokens.error(
            f"{bad[0]} is out of range for type {ELEMENT_NAMES[type]}", f"its range is [{low}, {high - 1}]", start
        )
    return type.pack(values)


UNSIGNED_TYPES = frozenset(type for type, name in ELEMENT_NAMES.items() if name[0] == "u")


def floats_from_texts(tokens: Tokens, texts: Sequence[str], type: AnyFloat, start: int) -> bytes:
    """
    The bytes of floats, rounded to nearest even. Raises `HLOError` for a finite number without a finite value in the
    type.
    """
    name = ELEMENT_NAMES[type]
    try:
        values = [0.0 if text == "-0" else float(text) for text in texts]  # -0 is the integer 0
    except ValueError:
        values = [float_from_text(tokens, text, name, start) for text in texts]
    finite = [*filter(math.isfinite, values)]
    for extreme in (min(finite), max(finite)) if finite else ():  # rounding is monotone
        if not is_finite_in(extreme, type):
            raise tokens.error(
                f"{texts[values.index(extreme)]} is out of range for type {name}",
                f"its finite values are in [{smallest_finite(type)}, {largest_finite(type)}]",
                start,
            )
    data = type.pack(values)
    return data if len(finite) == len(values) else with_nan_bits(tokens, texts, data, type, start)


def float_from_text(tokens: Tokens, text: str, name: str, start: int) -> float:
    """The value of one number; a NaN with payload gives a NaN with its sign."""
    if "(" in text:
        return math.copysign(math.nan, -1 if text[0] == "-" else 1)
    try:
        return float(text)
    except ValueError:
        raise tokens.error(
            f"'{text}' is not a value of type {name}", "write a number in decimal, inf or nan", start
        ) from None


def with_nan_bits(tokens: Tokens, texts: Sequence[str], data: bytes, type: AnyFloat, start: int) -> bytes:
    """
    `data`, the bytes of `texts`, with the signs of `-nan` and the payloads of `nan(0x...)`. Raises `HLOError` for a
    payload that does not fit.
    """
    size = type.compile_time_size
    numbers = [data[i : i + size] for i in range(0, len(data), size)]
    for i, text in enumerate(texts):
        if "nan" in text:
            bits = int.from_bytes(numbers[i], "little")
            if "(" in text:
                bits = payload_bits(tokens, text, type, start)
            numbers[i] = (bits | (text[0] == "-") << (type.bitwidth - 1)).to_bytes(size, "little")
    return b"".join(numbers)


def payload_bits(tokens: Tokens, text: str, type: AnyFloat, start: int) -> int:
    """The bits of `nan(0x...)` without its sign. Raises `HLOError` for a payload that does not fit."""
    name = ELEMENT_NAMES[type]
    if (mantissa_bits := NAN_PAYLOAD_BITS.get(name)) is None:
        raise tokens.error(f"type {name} has no NaN with a payload", "write nan", start)
    digits = text[text.index("(") + 1 : -1]
    payload = int(digits, 16) if digits[:2] in ("0x", "0X") else to_int(tokens, digits) if digits.isdecimal() else 0
    if not 0 < payload < 1 << mantissa_bits:
        raise tokens.error(
            f"payload {payload:#x} is out of range for type {name}",
            f"the mantissa has {mantissa_bits} bits, one of which must be set",
            start,
        )
    exponent = ((1 << (type.bitwidth - 1)) - 1) >> mantissa_bits << mantissa_bits
    return exponent | payload
