"""The attributes that follow an instruction's operands, `dimensions={0}, direction=LT`, read into Python values."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from xshardy.dialects.hlo import FusionKind
from xshardy.dialects.stablehlo.attributes import (
    ComparisonDirection,
    ComparisonType,
    Precision,
    ResultAccuracyAttr,
    ResultAccuracyMode,
)
from xshardy.dialects.stablehlo.windows import WindowDimension
from xshardy.hlo_text.lexer import Tokens, to_int

Reader = Callable[[Tokens], Any]


@dataclass(frozen=True, slots=True)
class ComputationName:
    """The computation that `calls=` or `to_apply=` names, and the index of the token that does."""

    name: str
    at: int = field(compare=False)


def read_integer(tokens: Tokens) -> int:
    """`2`"""
    return tokens.take_integer()


def read_bit_count(tokens: Tokens) -> int:
    """`10`"""
    return tokens.take_integer("a number of bits", 32)


def read_integers(tokens: Tokens) -> tuple[int, ...]:
    """`{0,1}`"""
    return tokens.take_list(tokens.take_integer)


def read_boolean(tokens: Tokens) -> bool:
    """`true`"""
    if tokens.text not in ("true", "false"):
        tokens.expected("true or false")
    return tokens.take_name("true or false") == "true"


def read_computation(tokens: Tokens) -> ComputationName:
    """`%add`"""
    return ComputationName(tokens.take_name("the name of a computation"), tokens.index - 1)


def read_slice(tokens: Tokens) -> tuple[tuple[int, int, int], ...]:
    """`{[0:4], [1:8:2]}` -> start, limit and stride of each dimension."""

    def read_range() -> tuple[int, int, int]:
        tokens.expect("[")
        start = tokens.take_integer("the start of a slice")
        tokens.expect(":")
        limit = tokens.take_integer("the limit of a slice")
        stride = tokens.take_integer("the stride of a slice") if tokens.accept(":") else 1
        tokens.expect("]")
        return start, limit, stride

    return tokens.take_list(read_range)


def read_padding(tokens: Tokens) -> tuple[tuple[int, int, int], ...]:
    """`1_2x0_0_1` -> low, high and interior padding of each dimension."""
    text = tokens.take("sizes", "padding", "write low_high or low_high_interior for each dimension: `1_2x0_0_1`")
    rows = [tuple(to_int(tokens, number, 64) for number in part.split("_")) for part in text.split("x")]
    if any(len(row) not in (2, 3) for row in rows):
        raise tokens.error(
            f"'{text}' is not a padding", "write low_high or low_high_interior for each dimension", tokens.index - 1
        )
    return tuple((row[0], row[1], row[2] if len(row) == 3 else 0) for row in rows)


def read_precisions(tokens: Tokens) -> tuple[Precision, ...]:
    """`{highest,default}`"""
    return tokens.take_list(lambda: read_word(tokens, {p.value.lower(): p for p in Precision}, "a precision"))


def read_result_accuracy(tokens: Tokens) -> ResultAccuracyAttr:
    """`{mode=highest}` or `{tolerance={atol=0.1,rtol=0.1,ulps=2}}`"""
    modes = {mode.value.lower(): mode for mode in ResultAccuracyMode}

    def read_tolerance() -> tuple[str, float]:
        name = read_word(tokens, {"atol": "atol", "rtol": "rtol", "ulps": "ulps"}, "a tolerance")
        tokens.expect("=")
        if name == "ulps":
            return name, tokens.take_integer("a number of units in the last place")
        text = tokens.take("number", "a number")
        if text.startswith(("0x", "0X", "-0x", "-0X")):
            raise tokens.error(f"'{text}' is not a tolerance", "write it in decimal", tokens.index - 1)
        return name, float(text)

    at = tokens.index
    mode, tolerances = ResultAccuracyMode.TOLERANCE, dict[str, float]()
    tokens.expect("{")
    if tokens.accept("mode"):
        tokens.expect("=")
        mode = read_word(tokens, modes, "an accuracy mode")
    else:
        tokens.expect("tolerance")
        tokens.expect("=")
        tolerances = dict(tokens.take_list(read_tolerance))
    tokens.expect("}")
    try:
        return ResultAccuracyAttr.of(
            mode, tolerances.get("atol", 0.0), tolerances.get("rtol", 0.0), int(tolerances.get("ulps", 0))
        )
    except VerifyException as error:
        raise tokens.error(str(error).splitlines()[-1], index=at) from error


def read_word(tokens: Tokens, words: Mapping[str, Any], what: str) -> Any:
    """The value that `words` has for the word at the cursor. Raises `HLOError` if it has none."""
    if tokens.text not in words:
        tokens.expected(what, f"one of {', '.join(words)}")
    tokens.index += 1
    return words[tokens.texts[tokens.index - 1]]


def one_of(enum: type[StrEnum], what: str) -> Reader:
    """A reader of the members of `enum` by value."""
    words = {member.value: member for member in enum}
    return lambda tokens: read_word(tokens, words, what)


FUSION_KINDS: Mapping[str, FusionKind] = {f"k{kind.value.capitalize()}": kind for kind in FusionKind}


def read_fusion_kind(tokens: Tokens) -> FusionKind:
    """`kLoop`"""
    return read_word(tokens, FUSION_KINDS, "a fusion kind")


def read_window(tokens: Tokens) -> tuple[WindowDimension, ...]:
    """`{size=3x3 stride=2x2 pad=1_1x0_0 lhs_dilate=1x2 rhs_dilate=2x1}`, all but the sizes optional."""
    at = tokens.index
    columns: dict[str, Sequence[int]] = {}
    tokens.expect("{")
    while not tokens.accept("}"):
        name_at = tokens.index
        name = read_word(tokens, WINDOW_FIELDS, "a property of a window")
        if name in columns or (name == "pad" and "low" in columns):
            raise tokens.error("this property of the window is given twice", "remove one of the two", name_at)
        tokens.expect("=")
        if name == "pad":
            padding = read_padding(tokens)
            columns |= {"low": [low for low, _, _ in padding], "high": [high for _, high, _ in padding]}
        else:
            columns[name] = read_sizes(tokens)
    if len({len(values) for values in columns.values()}) > 1 or (columns and "size" not in columns):
        raise tokens.error("a window has a size, and one value of each property for each dimension", index=at)
    return tuple(
        WindowDimension(**{name: values[i] for name, values in columns.items()})
        for i in range(len(columns.get("size", ())))
    )


def read_sizes(tokens: Tokens) -> tuple[int, ...]:
    """`3x3`, or `3` in one dimension."""
    if tokens.kind not in ("sizes", "number"):
        tokens.expected("the sizes of a window", "write one for each dimension: `3x3`")
    tokens.index += 1
    text = tokens.texts[tokens.index - 1]
    parts = text.split("x")
    if not all(part.removeprefix("-").isdecimal() for part in parts):
        raise tokens.error(f"'{text}' are not sizes", "write one for each dimension: `3x3`", tokens.index - 1)
    return tuple(to_int(tokens, part, 64) for part in parts)


WINDOW_FIELDS: Mapping[str, str] = {
    "size": "size",
    "stride": "stride",
    "pad": "pad",
    "lhs_dilate": "base_dilation",
    "rhs_dilate": "window_dilation",
}

READERS: Mapping[str, Reader] = {
    "calls": read_computation,
    "collapsed_slice_dims": read_integers,
    "dimensions": read_integers,
    "direction": one_of(ComparisonDirection, "a comparison direction"),
    "dynamic_slice_sizes": read_integers,
    "exponent_bits": read_bit_count,
    "index": read_integer,
    "index_vector_dim": read_integer,
    "indices_are_sorted": read_boolean,
    "input_batching_dims": read_integers,
    "inserted_window_dims": read_integers,
    "iota_dimension": read_integer,
    "kind": read_fusion_kind,
    "lhs_batch_dims": read_integers,
    "lhs_contracting_dims": read_integers,
    "mantissa_bits": read_bit_count,
    "offset_dims": read_integers,
    "operand_batching_dims": read_integers,
    "operand_precision": read_precisions,
    "padding": read_padding,
    "result_accuracy": read_result_accuracy,
    "rhs_batch_dims": read_integers,
    "rhs_contracting_dims": read_integers,
    "scatter_dims_to_operand_dims": read_integers,
    "scatter_indices_batching_dims": read_integers,
    "slice": read_slice,
    "slice_sizes": read_integers,
    "start_index_map": read_integers,
    "start_indices_batching_dims": read_integers,
    "to_apply": read_computation,
    "type": one_of(ComparisonType, "a comparison type"),
    "unique_indices": read_boolean,
    "update_window_dims": read_integers,
    "window": read_window,
}
"""How an attribute that an opcode takes is read."""


def read_dictionary(tokens: Tokens) -> DictionaryAttr:
    """`{op_name="jit(f)/add" source_line=3, key={...}}`: strings and integers as such, everything else as text."""
    entries: dict[str, Attribute] = {}
    tokens.expect("{")
    while not tokens.accept("}"):
        name = tokens.take_name("the name of an entry")
        tokens.expect("=")
        entries[name] = read_entry(tokens)
        tokens.accept(",")
    return DictionaryAttr(entries)


def read_entry(tokens: Tokens) -> Attribute:
    """A string or an integer as such, everything else as text."""
    if tokens.kind == "number" and tokens.text.removeprefix("-").isdecimal():
        value = tokens.take_integer()
        return IntegerAttr(value, i64) if -(2**63) <= value < 2**63 else StringAttr(str(value))
    return read_text(tokens)


def read_text(tokens: Tokens) -> StringAttr:
    """A string without its quotes, anything else as written, up to the matching brace."""
    text = tokens.take_raw()
    return StringAttr(unquote(text) if text.startswith('"') else text)


ESCAPES: Mapping[str, str] = {"n": "\n", "t": "\t", "r": "\r"}


def unquote(text: str) -> str:
    """The characters that a quoted string stands for."""
    if "\\" not in text:
        return text[1:-1]
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), text[1:-1])


KEPT: Mapping[str, tuple[str, Callable[[Tokens], Attribute]]] = {
    "backend_config": ("hlo.backend_config", read_text),
    "control-predecessors": ("hlo.control_predecessors", read_text),
    "frontend_attributes": ("mhlo.frontend_attributes", read_dictionary),
    "metadata": ("hlo.metadata", read_dictionary),
    "origin": ("hlo.origin", read_text),
    "original_value": ("hlo.original_value", read_text),
    "output_to_operand_aliasing": ("hlo.output_to_operand_aliasing", read_text),
    "parameter_replication": ("hlo.parameter_replication", read_text),
    "sharding": ("mhlo.sharding", read_text),
    "statistics": ("hlo.statistics", read_text),
}
"""What every instruction may carry: the name of the discardable attribute that keeps it, and how it is read."""
