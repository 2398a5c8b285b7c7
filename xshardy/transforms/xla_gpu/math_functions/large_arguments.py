"""
Reduction of large arguments modulo pi/2, exact to the last bit of the result.

A number with p significant bits is `M 2^E`. Its product with 2/pi is needed modulo 4, so digits of 2/pi of weight
2^(2 - E) and above do not count: integer arithmetic multiplies M by a window of the digits that follow. Source: M.
Payne and R. Hanek, "Radian reduction for trigonometric functions" (1983).
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from struct import unpack

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, TensorType, f32, f64, i32, i64
from xdsl.ir import Attribute

from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.xla_gpu.math_functions.coefficients import HALF_PI, TWO_OVER_PI_DIGITS
from xshardy.transforms.xla_gpu.math_functions.double_word import DoubleWord, fast_sum
from xshardy.transforms.xla_gpu.math_functions.formats import Format, format_of

WORD = 32
"""The bits of a word."""
TWO_OVER_PI_WORDS: Sequence[int] = (0, *unpack(">39I", bytes.fromhex(TWO_OVER_PI_DIGITS)))
"""A word of zeros, then the binary digits of 2 / pi in words of 32 bits, the highest first."""
WINDOW_WORDS: Mapping[Attribute, int] = {f32: 3, f64: 6}
"""The words of the window: at least p bits for M, p for the result, and as many as its leading zeros can be."""


def reduce_large(x: Scalar) -> tuple[Scalar, Scalar]:
    """
    `k` modulo 4 as an i32, and `r`, for `x = k pi/2 + r` with |r| <= pi/4.

    Requires a positive `x` of at least 2^(p - 31), where p is its precision. Infinity and NaN give any values.
    """
    format = format_of(x)
    bits = x.bitcast(format.integer)
    exponent = ((bits >> format.mantissa_bits) - format.bias).resize(i32)
    significand = (bits & ((1 << format.mantissa_bits) - 1)) | (1 << format.mantissa_bits)
    words = multiply(limbs_of(significand), window(exponent, format))
    quadrant = (words[-1] + (1 << WORD - 3) & 0xFFFFFFFF) >> WORD - 2
    fraction = without_quadrant(words)
    rest = rest_of_f32(fraction) if format.type == f32 else rest_of_f64(fraction)
    return quadrant.resize(i32), rest


def window(exponent: Scalar, format: Format) -> list[Scalar]:
    """
    The digits of 2/pi that count for `M 2^(exponent - p + 1)`, in words held by i64, the lowest first.

    The product of M and the first of them has the weight 2.
    """
    first = (exponent + (WORD - 1 - format.mantissa_bits - 1)) & 0x7FF
    word, shift = first >> 5, (first & WORD - 1).resize(i64)
    type = TensorType(i32, [len(TWO_OVER_PI_WORDS)])
    signed = [value - (value >> WORD - 1 << WORD) for value in TWO_OVER_PI_WORDS]
    builder = exponent.builder
    table = builder.insert(arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(type, signed))).result
    last = len(TWO_OVER_PI_WORDS) - 1

    def read(offset: int) -> Scalar:
        index = builder.insert(arith.IndexCastOp((word + offset).minimum(last).value, IndexType())).result
        return Scalar(builder.insert(tensor.ExtractOp(table, [index], i32)).result, builder).resize(i64)

    read_words = [read(offset) for offset in range(WINDOW_WORDS[format.type] + 1)]
    return [((high << WORD | low) << shift) >> WORD for high, low in pairwise(read_words)][::-1]


def limbs_of(significand: Scalar) -> list[Scalar]:
    """An integer in words held by i64, the lowest first."""
    if significand.type == i32:
        return [significand.resize(i64)]
    return [significand & 0xFFFFFFFF, significand >> WORD]


def multiply(limbs: Sequence[Scalar], words: Sequence[Scalar]) -> list[Scalar]:
    """The product of two integers in words held by i64, the lowest first, modulo the width of `words`."""
    result = [limbs[0].constant(0) for _ in words]
    for i, limb in enumerate(limbs):
        carry = limb.constant(0)
        for j in range(len(words) - i):
            total = limb * words[j] + result[i + j] + carry
            result[i + j] = total & 0xFFFFFFFF
            carry = total >> WORD
    return result


def without_quadrant(words: Sequence[Scalar]) -> list[Scalar]:
    """
    The four highest words of the fraction, the highest first: `words` without their two highest bits.

    As a signed number they are the fraction that is left when the quadrant is rounded to nearest.
    """
    pairs = zip(words[::-1], [*words[-2::-1], words[0].constant(0)], strict=True)
    return [((high << WORD | low) << 2 >> WORD) & 0xFFFFFFFF for high, low in pairs][:4]


def rest_of_f32(fraction: Sequence[Scalar]) -> Scalar:
    """`fraction * pi/2` as an f32, computed in f64."""
    digits = fraction[0] << WORD | fraction[1]
    return (digits.from_signed(f64) * (HALF_PI[f64][0] * 2.0**-64)).to_float(f32)


def rest_of_f64(fraction: Sequence[Scalar]) -> Scalar:
    """`fraction * pi/2` as an f64, computed with twice the precision, as the highest digits may be zeros."""
    highest, high, low, lowest = fraction
    first = highest.resize(i32).from_signed(f64) * 2.0**-32
    total = fast_sum(first, high.from_unsigned(f64) * 2.0**-64)
    tail = (low << WORD | lowest).from_unsigned(f64) * 2.0**-128
    total = fast_sum(total.high, total.low + tail)
    half_pi = DoubleWord(*(total.high.constant(part) for part in HALF_PI[f64][:2]))
    return (total * half_pi).high
