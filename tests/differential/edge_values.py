"""
Every elementwise operation of StableHLO and CHLO at the edges of every element type: our evaluator beside XLA's CPU.

Kernels are compared with the evaluator. `python tests/differential/edge_values.py [TYPE ...]` compares all, in some
minutes, and prints what differs; the test takes a sample. What XLA does otherwise on purpose, or wrongly, is in the
tables below.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException
from xla_cpu import run_on_xla

import xshardy
from xshardy.dialects.chlo import CHLO
from xshardy.dialects.chlo.broadcasting import BroadcastBinaryOp
from xshardy.dialects.discardable import verify
from xshardy.dialects.stablehlo import STABLEHLO
from xshardy.dialects.stablehlo.elementwise_binary import BinaryElementwiseOp
from xshardy.dialects.stablehlo.elementwise_unary import UnaryElementwiseOp
from xshardy.dialects.stablehlo.types import bit_width
from xshardy.engines.kernels import Kernels
from xshardy.interpreters.stablehlo import evaluate
from xshardy.numerics.element_types import KINDS, Kind, float_info, numpy_dtype
from xshardy.syntax import parse_module
from xshardy.syntax.parser import Parser
from xshardy.universe import new_context

Array = NDArray[Any]

FLOATS = ("f64", "f32", "f16", "bf16")
SMALL_FLOATS = (
    *("f8E4M3FN", "f8E5M2", "f8E3M4", "f8E4M3", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN"),
)
"""But f6E2M3FN and f6E3M2FN: XLA ends the process."""
INTEGERS = tuple(f"{sign}{width}" for sign in ("i", "ui") for width in (2, 4, 8, 16, 32, 64))
COMPLEX = ("complex<f32>", "complex<f64>")
TYPES = (*FLOATS, *SMALL_FLOATS, *INTEGERS, "i1", *COMPLEX)

WITH_MORE = {
    *("stablehlo.convert", "stablehlo.reduce_precision", "stablehlo.uniform_dequantize", "stablehlo.uniform_quantize"),
    "chlo._asin_acos_kernel",
}
"""Operations with other types or attributes, or only for compilers."""
OPERATIONS = {
    **{
        op.name: 2 if issubclass(op, BinaryElementwiseOp) else 1
        for dialect in (STABLEHLO, CHLO)
        for op in dialect.operations
        if issubclass(op, BinaryElementwiseOp | UnaryElementwiseOp) and not issubclass(op, BroadcastBinaryOp)
        if op.name not in WITH_MORE
    },
    **dict.fromkeys(("stablehlo.is_finite", "chlo.is_inf", "chlo.is_neg_inf", "chlo.is_pos_inf"), 1),
}
"""The number of operands of each operation."""

NOT_COMPARED = {
    r"chlo\.(bessel_i1e|erfc) f[84].*": "no decomposition of floats of 8 bits and less",
    r"(stablehlo\.cbrt|chlo\.bessel_i1e) complex.*": "of floats only",
    r"chlo\..* f8E8M0FNU": "the formulas have zeros and signs, which the type has not",
    r"(chlo\.(asin|zeta|polygamma|lgamma|digamma|next_after)|stablehlo\.(atan2|power)) f[84].*": "XLA rounds each step "
    "of the formula to the narrow type, or loses NaN",
    r"stablehlo\.logistic f8E5M2FNUZ": "XLA makes the smallest result zero",
    r"chlo\.(zeta|polygamma) .*": "XLA's series give NaN, or infinities of the other sign, beyond the domain",
    r"stablehlo\.(maximum|minimum) complex.*": "XLA compares as if it were ordered: NaN loses",
    r"stablehlo\.remainder complex.*": "XLA ends the process",
    r"stablehlo\.(atan2|power) complex.*": "XLA's formulas overflow, and lose the last digits near 0",
    r"(stablehlo\.(divide|log|log_plus_one|power|remainder|rsqrt|sqrt)|chlo\.(acosh|is_.*)) f4E2M1FN": "XLA makes NaN, "
    "which the type has not, a zero of either sign, and takes 0 for infinite",
    r"stablehlo\.popcnt i4": "XLA counts the bits of the byte",
    r"chlo\.mulhi u?i4": "XLA shifts the product of 4 bits",
}
"""Operations and types that are not compared, and why."""

STEPS = {r".* complex.*": 512, r"chlo\.(digamma|lgamma|bessel_i1e) .*": 64, r"(chlo\.|stablehlo\.(power|tan)).*": 24}
"""How many units in the last place functions of XLA are off, at the edges: the first row that fits; 4 by default."""


NOT_IN_KERNELS = {
    r"chlo\.(zeta|polygamma) .*": "the series, which are XLA's, give NaN or infinities where the evaluator has a limit",
    r"(stablehlo\.(maximum|minimum|remainder|cbrt)|chlo\.bessel_i1e) complex.*": "refused: there is no formula",
    r"stablehlo\.atan2 complex.*": "NaN or infinite at poles",
    r"(stablehlo\.(divide|log|log_plus_one|power|remainder|rsqrt|sqrt)|chlo\.(acosh|atanh)) f4E2M1FN": "NaN becomes a "
    "zero of either sign",
    r"(stablehlo\.imag|chlo\.(lgamma|polygamma|zeta)) f8E8M0FNU": "the type has no zero",
    r"chlo\.next_after f8.*FNUZ": "the zero below the smallest number is NaN",
}
"""Operations and types of kernels that are not compared with the evaluator, and why."""

LEAST_SIZE = {r"chlo\.(digamma|lgamma) .*": 1}
"""The size of the terms of a function: near its zeros, XLA is off by units in the last place of these."""


def edges(type: str) -> Array:
    """All values of at most 8 bits, else those where implementations differ; of complex numbers, all pairs of parts."""
    element = element_of(type)
    dtype, kind, width = numpy_dtype(element), KINDS[numpy_dtype(element)], bit_width(element)
    if kind is Kind.COMPLEX:
        parts = (0.0, 1, -1, 0.5, 2.5, -3)  # XLA's formulas lose the signs of zeros, and make NaN of infinities
        return np.array([complex(a, b) for a in parts for b in parts], dtype)
    if kind is Kind.FLOAT and width <= 8:
        return np.arange(2**width, dtype=np.uint8).view(dtype)
    if kind is not Kind.FLOAT:
        low, high = (0, 1) if kind is Kind.PRED else (int(ml_dtypes.iinfo(dtype).min), int(ml_dtypes.iinfo(dtype).max))
        near = {0, 1, 2, 3, 7, 63, 64, width - 1, width, -1, -2, -3, -width, high - 1, high, high // 2, low, low + 1}
        numbers = range(low, high + 1) if width <= 8 else sorted(number for number in near if low <= number <= high)
        return np.array([number % 2**64 for number in numbers], np.uint64).astype(dtype)
    info = float_info(dtype)
    ones = (1 - info.epsilon / 2, 1.0, 1 + info.epsilon, 0.5, 1.5, 2.5, 7.3, np.pi, 88.9, 127.5, 2.0**31, 2.0**63)
    ends = (0.0, info.smallest_subnormal, info.smallest_normal / 2, info.smallest_normal, info.epsilon, info.largest)
    with np.errstate(over="ignore"):
        return np.array([*ones, *ends, np.inf, *(-x for x in (*ones, *ends, np.inf)), np.nan]).astype(dtype)


def element_of(type: str) -> Attribute:
    """The element type that the text `type` stands for."""
    return Parser(new_context(), type).parse_type()


def text_of(operation: str, type: str, size: int) -> str | None:
    """A program of one operation on `size` elements; None if StableHLO's verifier refuses the type."""
    x, count = f"tensor<{size}x{type}>", OPERATIONS[operation]
    for result in (x, f"tensor<{size}xi1>", x.replace("complex<", "").replace(">>", ">")):
        names, types = ", ".join(f"%{i}" for i in range(count)), ", ".join([x] * count)
        arguments = ", ".join(f"%{i}: {x}" for i in range(count))
        text = f"""func.func @main({arguments}) -> {result} {{
          %r = "{operation}"({names}) : ({types}) -> {result}
          return %r : {result}
        }}"""
        try:
            verify(parse_module(text))
        except VerifyException:
            continue
        return text
    return None


def row_of(table: Mapping[str, Any], operation: str, type: str, otherwise: Any = None) -> Any:
    """The value of the first row whose pattern is that of the operation and the type."""
    return next((table[row] for row in table if re.fullmatch(row, f"{operation} {type}")), otherwise)


def cases(types: Sequence[str] = TYPES, excluded: Mapping[str, str] = NOT_COMPARED) -> Iterator[tuple[str, str]]:
    """The operations and types that are compared."""
    for type in types:
        for operation in OPERATIONS:
            if row_of(excluded, operation, type) is None and text_of(operation, type, 1) is not None:
                yield operation, type


def difference(operation: str, type: str, pairs: int = 1 << 16) -> str | None:
    """What differs, at all edges; of two operands, at all pairs, but for `pairs` of these at most. None if nothing."""
    operands = chosen_edges(operation, type, pairs)
    if operation == "stablehlo.power" and KINDS[operands[0].dtype] is Kind.INTEGER:  # XLA reads the six lowest bits
        operands = [x[operands[1].astype(np.float64) < 64] for x in operands]
    text = text_of(operation, type, len(operands[0]))
    assert text is not None
    try:
        (expected,) = run_on_xla(text, operands)
    except RuntimeError as error:
        return f"{operation} {type}: XLA refuses it: {str(error)[:200]}"
    found = evaluated(text, operands)
    kept = ~np.logical_or.reduce([is_flushed(x) for x in (*operands, found, expected)])
    return described(operation, type, [x[kept] for x in operands], found[kept], expected[kept], "XLA")


def chosen_edges(operation: str, type: str, pairs: int) -> list[Array]:
    """The operands: all edges, or of two operands at most so many pairs of them, drawn with a fixed seed."""
    values = edges(type)
    if OPERATIONS[operation] == 1:
        return [values]
    chosen = np.random.default_rng(0).permutation(len(values) ** 2)[:pairs]
    return [values[chosen // len(values)], values[chosen % len(values)]]


def evaluated(text: str, operands: Sequence[Array]) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(evaluate(parse_module(text), operands)[0])


def described(
    operation: str, type: str, operands: Sequence[Array], found: Array, expected: Array, by: str
) -> str | None:
    """The first difference between two results, and how many there are; None if there is none."""
    steps, least = row_of(STEPS, operation, type, 4), row_of(LEAST_SIZE, operation, type, 0)
    wrong = np.flatnonzero(differs(found, expected, steps, least))
    if not len(wrong):
        return None
    given = ", ".join(str(x[wrong[0]]) for x in operands)
    values = f"{found[wrong[0]]}, but {by} gives {expected[wrong[0]]}"
    return f"{operation} {type} of {given}: {values}; {len(wrong)} of {len(found)} differ"


def difference_of_kernel(operation: str, type: str, pairs: int = 2048) -> str | None:
    """What differs between a kernel, executed as LLVM IR on the CPU, and the evaluator, subnormals included."""
    operands = chosen_edges(operation, type, pairs)
    text = text_of(operation, type, len(operands[0]))
    assert text is not None
    (found,) = xshardy.run(text, operands, on=Kernels("llvm")).results
    return described(operation, type, operands, found, evaluated(text, operands), "the evaluator")


def is_flushed(x: Array) -> Array:
    """Whether an element is subnormal, which XLA makes zero on a CPU, or becomes that by rounding; or a part is."""
    match KINDS[x.dtype]:
        case Kind.COMPLEX:
            return is_flushed(x.real) | is_flushed(x.imag)
        case Kind.FLOAT:
            size = np.abs(x.astype(np.float64))
            return (size > 0) & (size <= float_info(x.dtype).smallest_normal) if x.itemsize > 1 else size == 2.0**-127
        case _:
            return np.zeros(x.shape, np.bool_)


def differs(found: Array, expected: Array, steps: float, least: float) -> Array:
    """Which elements are others, NaN and signs of zeros included; floats by more units in the last place than these."""
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    kind = KINDS[found.dtype]
    if kind is Kind.COMPLEX:
        size = np.abs(expected).astype(expected.real.dtype)
        return np.logical_or(*(differs_from(*parts, steps, size) for parts in both_parts(found, expected)))
    if kind is not Kind.FLOAT:
        return found != expected
    return differs_from(found, expected, steps, np.maximum(np.abs(expected.astype(np.float64)), least))


def both_parts(x: Array, y: Array) -> Iterator[tuple[Array, Array]]:
    """The real and the imaginary parts, without signs of zeros."""
    yield x.real + 0, y.real + 0
    yield x.imag + 0, y.imag + 0


def differs_from(found: Array, expected: Array, steps: float, size: Array) -> Array:
    """`differs` of real numbers, with units in the last place of numbers of this `size`."""
    x, y = found.astype(np.float64), expected.astype(np.float64)
    with np.errstate(all="ignore"):
        is_close = np.abs(x - y) <= steps * float_info(found.dtype).epsilon * size
    is_same = (x == y) & (np.signbit(x) == np.signbit(y)) | np.isnan(x) & np.isnan(y)
    return ~(is_same | is_close & (x != y))


if __name__ == "__main__":
    types = sys.argv[1:] or TYPES
    found = [
        *(difference(*case) for case in cases(types)),
        *(difference_of_kernel(*case) for case in cases(types, NOT_IN_KERNELS)),
    ]
    differences = [each for each in found if each is not None]
    print(*differences, f"{len(found)} operations on types, {len(differences)} differ", sep="\n")
    sys.exit(bool(differences))
