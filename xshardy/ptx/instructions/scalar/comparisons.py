"""Comparison and selection. Source: PTX ISA, "Comparison and Selection Instructions"."""

from collections.abc import Callable, Mapping

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.numerics.integers import unsigned
from xshardy.ptx.instructions.form import Computation, Form
from xshardy.ptx.instructions.row import TWO_STEPS, Row, computation
from xshardy.ptx.instructions.scalar.rounding import flushed
from xshardy.ptx.module import Pair
from xshardy.ptx.types import PREDICATE, TYPES, Kind, Type

Comparison = Callable[[Array, Array], Array]


def or_unordered(compare: Comparison) -> Comparison:
    """`compare`, true if an operand is NaN."""
    return lambda x, y: compare(x, y) | np.isnan(x) | np.isnan(y)


def not_equal(x: Array, y: Array) -> Array:
    """Whether the numbers differ; false if one is NaN."""
    return (x != y) & ~np.isnan(x) & ~np.isnan(y)


def on_unsigned(compare: Comparison) -> Comparison:
    return lambda x, y: compare(unsigned(x), unsigned(y))


INTEGERS: Mapping[str, Comparison] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lo": on_unsigned(np.less),
    "ls": on_unsigned(np.less_equal),
    "hi": on_unsigned(np.greater),
    "hs": on_unsigned(np.greater_equal),
}

FLOATS: Mapping[str, Comparison] = {
    "eq": np.equal,
    "ne": not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "equ": or_unordered(np.equal),
    "neu": np.not_equal,
    "ltu": or_unordered(np.less),
    "leu": or_unordered(np.less_equal),
    "gtu": or_unordered(np.greater),
    "geu": or_unordered(np.greater_equal),
    "num": lambda x, y: ~(np.isnan(x) | np.isnan(y)),
    "nan": lambda x, y: np.isnan(x) | np.isnan(y),
}

COMBINATIONS: Mapping[str, Callable[[Array, Array], Array]] = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def compared(form: Form, type: Type) -> Comparison:
    """Remove the comparison, and how it treats subnormal numbers, from a form."""
    flushes = form.has("ftz")
    table = FLOATS if type.kind is Kind.FLOAT else INTEGERS
    compare = table[form.required(*table)]
    return (lambda x, y: compare(flushed(x), flushed(y))) if flushes else compare


def set_predicate(form: Form) -> Computation:
    """
    `setp.cmp{.bool}.type p{|q}, a, b{, c}`: the comparison, and its opposite, each combined with `c`.

    Of a packed type, `p` is the comparison of the low elements and `q` that of the high ones.
    """
    combination, type = form.take(*COMBINATIONS), form.type()
    compare = compared(form, type)
    with_second = isinstance(form.instruction.operands[0], Pair)
    if type.elements > 1 and not with_second:
        raise form.error("a comparison of pairs gives two predicates, p|q")
    combine = COMBINATIONS.get(combination or "")

    def function(x: Array, y: Array, *other: Array) -> Array | tuple[Array, ...]:
        found = compare(x, y)
        results = (found[..., 0], found[..., 1]) if type.elements > 1 else (found, ~found)
        combined = tuple(combine(result, *other) for result in results) if combine else results
        return combined if with_second else combined[0]

    sources = [type, type, *([PREDICATE] if combine else [])]
    return Computation([PREDICATE] * (1 + with_second), sources, function)


def set_number(form: Form) -> Computation:
    """
    `set.cmp{.bool}.dtype.stype`: all ones, or 1.0, where the comparison holds; else 0.

    Of a packed type, each half of the result, also of a `.u32` or `.s32`, is for the comparison of its elements.
    """
    combination = form.take(*COMBINATIONS)
    result, type = form.types(2)
    if type.elements > 1 and result.name in ("u32", "s32"):
        result = TYPES["u16x2"]
    if result.elements != type.elements:
        raise form.error(f"there is no comparison of .{type.name} with a result of .{result.name}")
    compare = compared(form, type)
    one = result.dtype.type(1.0) if result.kind is Kind.FLOAT else ~np.zeros((), result.dtype)
    combine = COMBINATIONS[combination] if combination else None

    def function(x: Array, y: Array, *other: Array) -> Array:
        found = compare(x, y)
        if combine is not None:
            found = combine(found, other[0][..., None] if type.elements > 1 else other[0])
        return np.where(found, one, result.dtype.type(0))

    return Computation([result], [type, type, *([PREDICATE] if combine else [])], function)


def select(form: Form) -> Computation:
    """`selp.type d, a, b, p`."""
    type = form.type()

    def function(x: Array, y: Array, holds: Array) -> Array:
        return np.where(holds, x, y)

    return Computation([type], [type, type, PREDICATE], function)


def select_by_sign(form: Form) -> Computation:
    """`slct.dtype.stype d, a, b, c`: `a` if `c` is at least 0, else `b`."""
    flushes = form.has("ftz")
    type, chooser = form.types(2)

    def function(x: Array, y: Array, c: Array) -> Array:
        return np.where((flushed(c) if flushes else c) >= 0, x, y)

    return Computation([type], [type, type, TYPES[chooser.name]], function)


COMPARISONS: Mapping[str, Row] = {
    "setp": computation(set_predicate, TWO_STEPS, "comparison"),
    "set": computation(set_number, counted_as="comparison"),
    "selp": computation(select, TWO_STEPS, "comparison"),
    "slct": computation(select_by_sign, counted_as="comparison"),
}
