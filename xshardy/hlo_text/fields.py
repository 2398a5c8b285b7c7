"""Readers and writers of the attributes of an instruction, such as `dimensions={0}, direction=LT`, as Python values."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

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
from xshardy.hlo_text.strings import quote, unquote

WordT = TypeVar("WordT")
Reader = Callable[[Tokens], object]

LARGEST = {"f32": (2 - 2**-23) * 2.0**127, "f64": sys.float_info.max}
"""The largest finite numbers of the types that attributes have."""


@dataclass(frozen=True, slots=True)
class ComputationName:
    """The computation named by `calls=` or `to_apply=`, and the index of its token."""

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
    words = {word: p for p in Precision for word in (p.value.lower(), p.value)}
    return tokens.take_list(lambda: read_word(tokens, words, "a precision"))


def read_result_accuracy(tokens: Tokens) -> ResultAccuracyAttr:
    """`{mode=highest}` or `{tolerance={atol=0.1,rtol=0.1,ulps=2}}`"""
    modes = {name: mode for mode in ResultAccuracyMode for name in (mode.value.lower(), mode.value.upper())}

    def read_tolerance() -> tuple[str, float]:
        name = read_word(tokens, {"atol": "atol", "rtol": "rtol", "ulps": "ulps"}, "a tolerance")
        tokens.expect("=")
        if name == "ulps":
            return name, tokens.take_integer("a number of units in the last place")
        text = tokens.take("number", "a number")
        if text.startswith(("0x", "0X", "-0x", "-0X")):
            raise tokens.error(f"'{text}' is not a tolerance", "write it in decimal", tokens.index - 1)
        return name, in_range(tokens, text, "f64")

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


def read_word(tokens: Tokens, words: Mapping[str, WordT], what: str) -> WordT:
    """The entry of `words` for the word at the cursor. Raises `HLOError` if there is none."""
    if tokens.text not in words:
        tokens.expected(what, f"one of {', '.join(words)}")
    tokens.index += 1
    return words[tokens.texts[tokens.index - 1]]


def one_of(enum: type[StrEnum], what: str) -> Reader:
    """A reader of the members of `enum` by value."""
    words = {member.value: member for member in enum}
    return lambda tokens: read_word(tokens, words, what)


def read_order(tokens: Tokens) -> bool:
    """`TOTAL`, which also orders NaN and zeros of both signs, or `PARTIAL`. Returns whether it is the former."""
    return read_word(tokens, {"TOTAL": True, "PARTIAL": False}, "the order of a comparison")


FUSION_KINDS: Mapping[str, FusionKind] = {f"k{kind.value.capitalize()}": kind for kind in FusionKind}


def read_fusion_kind(tokens: Tokens) -> FusionKind:
    """`kLoop`"""
    return read_word(tokens, FUSION_KINDS, "a fusion kind")


@dataclass(frozen=True, slots=True)
class ReversibleDimension(WindowDimension):
    """A dimension of a window, and whether it is reversed."""

    is_reversed: int = 0


def read_window(tokens: Tokens) -> tuple[ReversibleDimension, ...]:
    """`{size=3x3 stride=2x2 pad=1_1x0_0 lhs_dilate=1x2 rhs_dilate=2x1 rhs_reversal=1x1}`; only sizes are required."""
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
        ReversibleDimension(**{name: values[i] for name, values in columns.items()})
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
    "rhs_reversal": "is_reversed",
}
"""The properties of a window by name; the default is 0 for the last, 1 for the others."""


def read_computations(tokens: Tokens) -> tuple[ComputationName, ...]:
    """`{%f, %g}`, or `%f` alone."""
    if tokens.text == "{":
        return tokens.take_list(lambda: read_computation(tokens))
    return (read_computation(tokens),)


def read_name(tokens: Tokens) -> str:
    """A word, such as `rng_uniform`."""
    return tokens.take_name("a word")


def read_string(tokens: Tokens) -> str:
    """`"text"`, without its quotes. Raises `HLOError` if it is not in UTF-8."""
    text = unquote(tokens.take("string", "a string in quotes"))
    if isinstance(text, bytes):
        raise tokens.error("this string is not in UTF-8", index=tokens.index - 1)
    return text


def read_number(tokens: Tokens) -> float:
    """`0.001`, which becomes an f32. Raises `HLOError` if it is larger than those."""
    text = tokens.take("number", "a number")
    try:
        return in_range(tokens, text, "f32")
    except ValueError:
        raise tokens.error(f"'{text}' is not a number", "write it in decimal", tokens.index - 1) from None


def in_range(tokens: Tokens, text: str, type: str) -> float:
    """The number `text`, the last token. Raises `HLOError` if it is beyond the finite numbers of `type`."""
    value, largest = float(text), LARGEST[type]
    if abs(value) > largest:
        help = f"its finite values are in [-{largest:g}, {largest:g}]"
        raise tokens.error(f"{text} is out of range for type {type}", help, tokens.index - 1)
    return value


def read_pairs(tokens: Tokens) -> tuple[tuple[int, ...], ...]:
    """`{{0,1},{1,0}}`"""

    def read_pair() -> tuple[int, ...]:
        at = tokens.index
        if len(pair := read_integers(tokens)) != 2:
            raise tokens.error(f"expected a pair of devices, got {len(pair)}", "write `{source,target}`", at)
        return pair

    return tokens.take_list(read_pair)


def read_labels(tokens: Tokens) -> str:
    """`b01f_01io->b01f`"""
    return tokens.take("labels", "the names of dimensions", "write them like `b01f_01io->b01f`")


def read_typed_literal(tokens: Tokens) -> str:
    """`s32[2]{0} {1, 2}`: a shape and a value, as written. A tuple is in parentheses."""
    start = tokens.index
    is_array = tokens.kind == "shape"
    tokens.take_raw()
    if is_array:
        tokens.take_raw()
    return tokens.raw_text(start)


def read_raw(tokens: Tokens) -> str:
    """Any text up to the matching brace, as written."""
    return tokens.take_raw()


def read_groups(tokens: Tokens) -> str:
    """`{{0,1},{2,3}}`, `[2,4]<=[8]`, `[2,4]<=[4,2]T(1,0)` or `mesh['x'=2,'y'=4] {'x'}`, as written."""
    start = tokens.index
    tokens.take_raw()
    if tokens.texts[start] != "{":
        while tokens.text in ("[", "(", "{", "<=", "T", "=") or _lists_devices(tokens):
            tokens.take_raw()
    return tokens.raw_text(start)


def _lists_devices(tokens: Tokens) -> bool:
    """Whether `, device_ids=(...)` comes next, which belongs to a mesh, or the rest of it."""
    return "device_ids" in (tokens.text, tokens.texts[tokens.index + 1] if tokens.text == "," else "")


DIMENSION_LISTS = """
collapsed_slice_dims dimensions dynamic_slice_sizes fft_length input_batching_dims inserted_window_dims lhs_batch_dims
lhs_contracting_dims lhs_ragged_dims offset_dims operand_batching_dims rhs_batch_dims rhs_contracting_dims
rhs_group_dims scatter_dims_to_operand_dims scatter_indices_batching_dims slice_sizes start_index_map
start_indices_batching_dims update_window_dims
"""
INTEGERS = """
batch_group_count channel_id delta feature_group_count feature_index index
index_vector_dim inferred_dimension iota_dimension k num_carries
"""
BOOLEANS = """
constrain_layout custom_call_has_side_effect has_dynamic_root indices_are_sorted is_composite is_host_transfer
is_reverse is_stable largest left_side lower unit_diagonal unique_indices use_global_device_ids
"""
WORDS = "algorithm api_version convolution_kind distribution fft_type is_associative padding_type schedule transpose_a"
STRINGS = "custom_call_target infeed_config outfeed_config"
COMPUTATIONS = "body calls condition false_computation scatter select to_apply true_computation"
RAW = """
domain operand_layout_constraints outfeed_shape results_memory_spaces sparsity sparsity_config
"""

READERS: Mapping[str, Reader] = {
    **dict.fromkeys(DIMENSION_LISTS.split(), read_integers),
    **dict.fromkeys(INTEGERS.split(), read_integer),
    **dict.fromkeys(BOOLEANS.split(), read_boolean),
    **dict.fromkeys(WORDS.split(), read_name),
    **dict.fromkeys(STRINGS.split(), read_string),
    **dict.fromkeys(COMPUTATIONS.split(), read_computation),
    **dict.fromkeys(RAW.split(), read_raw),
    "branch_computations": read_computations,
    "called_computations": read_computations,
    "dim_labels": read_labels,
    "direction": one_of(ComparisonDirection, "a comparison direction"),
    "epsilon": read_number,
    "exponent_bits": read_bit_count,
    "kind": read_fusion_kind,
    "literal": read_typed_literal,
    "mantissa_bits": read_bit_count,
    "operand_precision": read_precisions,
    "order": read_order,
    "padding": read_padding,
    "replica_groups": read_groups,
    "result_accuracy": read_result_accuracy,
    "slice": read_slice,
    "source_target_pairs": read_pairs,
    "type": one_of(ComparisonType, "a comparison type"),
    "window": read_window,
}
"""The reader of each attribute."""


def write_slice(ranges: Sequence[tuple[int, int, int]]) -> str:
    """The inverse of `read_slice`."""
    return f"{{{', '.join(f'[{a}:{b}]' if step == 1 else f'[{a}:{b}:{step}]' for a, b, step in ranges)}}}"


def write_padding(rows: Sequence[tuple[int, int, int]]) -> str:
    """The inverse of `read_padding`."""
    return "x".join(f"{low}_{high}_{interior}" if interior else f"{low}_{high}" for low, high, interior in rows)


def write_precisions(precisions: Sequence[Precision]) -> str:
    """The inverse of `read_precisions`."""
    return f"{{{','.join(precision.value.lower() for precision in precisions)}}}"


def write_window(window: Sequence[WindowDimension]) -> str:
    """The inverse of `read_window`: properties with default values are omitted."""
    parts: list[str] = []
    for name, member in WINDOW_FIELDS.items():
        if name == "pad":
            if any(dimension.low or dimension.high for dimension in window):
                parts.append("pad=" + "x".join(f"{dimension.low}_{dimension.high}" for dimension in window))
            continue
        neutral = 0 if name == "rhs_reversal" else 1
        values = [getattr(dimension, member, neutral) for dimension in window]
        if name == "size" or any(value != neutral for value in values):
            parts.append(f"{name}={'x'.join(map(str, values))}")
    return f"{{{' '.join(parts)}}}" if window else "{}"


def write_result_accuracy(accuracy: ResultAccuracyAttr) -> str:
    """The inverse of `read_result_accuracy`."""
    if accuracy.mode.data != ResultAccuracyMode.TOLERANCE:
        return f"{{mode={accuracy.mode.data.value.lower()}}}"
    tolerances = (accuracy.atol.value.data, accuracy.rtol.value.data, accuracy.ulps.data)
    return "{{tolerance={{atol={!r},rtol={!r},ulps={}}}}}".format(*tolerances)


def write_fusion_kind(kind: FusionKind) -> str:
    """The inverse of `read_fusion_kind`."""
    return f"k{kind.value.capitalize()}"


def write_plain(value: object) -> str:
    """A number, a word, a computation, or a list of such, as HLO text writes it."""
    match value:
        case bool():
            return "true" if value else "false"
        case StrEnum():
            return value.value
        case ComputationName():
            return f"%{value.name}"
        case tuple():
            return f"{{{','.join(map(write_plain, cast(tuple[object, ...], value)))}}}"
        case _:
            return repr(value)


QUOTED = frozenset(STRINGS.split())

WRITERS: Mapping[str, Callable[[Any], str]] = {
    **dict.fromkeys(STRINGS.split(), quote),
    "kind": write_fusion_kind,
    "operand_precision": write_precisions,
    "padding": write_padding,
    "result_accuracy": write_result_accuracy,
    "slice": write_slice,
    "window": write_window,
}
"""The writers that differ from `write_plain`: the inverses of the readers."""


def write_field(key: str, value: Any) -> str:
    """`key=value`. Text kept as written is printed unchanged."""
    is_written = type(value) is str and key not in QUOTED
    return f"{key}={value if is_written else WRITERS.get(key, write_plain)(value)}"
