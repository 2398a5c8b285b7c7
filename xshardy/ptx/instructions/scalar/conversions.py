"""Conversions. Source: PTX ISA, `cvt`."""

from collections.abc import Callable, Mapping

import numpy as np

from xshardy.numerics import conversions
from xshardy.numerics.element_types import Array, float_info
from xshardy.numerics.floats import narrowed
from xshardy.ptx.instructions.form import Computation, Form
from xshardy.ptx.instructions.row import FOLDED, Row, computation, if_wide
from xshardy.ptx.instructions.scalar.floats import canonical, positive_part
from xshardy.ptx.instructions.scalar.rounding import directed, flushed, saturated
from xshardy.ptx.types import TYPES, Kind, Type, as_tf32

TO_INTEGER: Mapping[str, Callable[[Array], Array]] = {
    "rni": np.rint,
    "rzi": np.trunc,
    "rmi": np.floor,
    "rpi": np.ceil,
}
TO_FLOAT = ("rn", "rz", "rm", "rp", "rna")
EIGHT_BITS = ("e4m3", "e5m2")
WITHOUT_NAN = ("e2m1x2", "e2m3x2", "e3m2x2")
"""Of these, NaN becomes the largest number."""
LARGEST_TF32 = float(as_tf32(np.array(float_info(np.dtype(np.float32)).largest, np.float32)))


def convert(form: Form) -> Computation:
    """
    `cvt{.rounding}{.ftz}{.sat}.dtype.atype`; to a packed type from two numbers, of which the first is the upper.

    Raises `PtxError` where `ptxas` demands a rounding, and there is none.
    """
    result, source = form.types(2)
    if result.name == "ue8m0x2":
        raise form.error("conversions to .ue8m0x2 are not supported")
    if result.name in WITHOUT_NAN and "satfinite" not in form.modifiers:
        raise form.error(f"a conversion to .{result.name} needs .satfinite")
    if _needs_rounding(source, result):
        rounding = form.required(*(TO_FLOAT if result.kind is Kind.FLOAT else TO_INTEGER))
    else:
        rounding = form.take(*TO_INTEGER, *TO_FLOAT) or "rn"
    flushes, saturates = form.has("ftz"), form.has("sat")
    relu, finite = form.has("relu"), form.has("satfinite")

    def steps(x: Array) -> Array:
        if flushes and source.name == "f32":
            x = flushed(x)
        if source.kind is Kind.FLOAT and result.kind is Kind.FLOAT:
            if rounding in TO_INTEGER:
                x = _rounded_to_whole(x, rounding)
            if finite:
                x = _finite(x, result)
            value = _float_to_float(x, result, rounding)
            value = positive_part(value) if relu else value
            value = saturated(value) if saturates else value
            return flushed(value) if flushes and result.name == "f32" else value
        if source.kind is Kind.FLOAT:
            return _float_to_integer(x, result, rounding)
        if result.kind is Kind.FLOAT:
            return _integer_to_float(x, result, rounding, form)
        return _integer_to_integer(x, result, clamps=saturates)

    if result.elements == 2 and source.elements == 1:

        def packed(upper: Array, lower: Array) -> Array:
            return np.stack(np.broadcast_arrays(steps(lower), steps(upper)), axis=-1)

        return Computation([result], [source, source], packed)
    return Computation([result], [source], steps)


def _needs_rounding(source: Type, result: Type) -> bool:
    """Whether a conversion says how it rounds: one to a smaller float, or between a float and an integer."""
    if source.kind is Kind.FLOAT and result.kind is Kind.FLOAT:
        return result.dtype.itemsize < source.dtype.itemsize or result.name == "tf32"
    return Kind.FLOAT in (source.kind, result.kind)


def _rounded_to_whole(x: Array, mode: str) -> Array:
    """`x` rounded to a whole number of its type."""
    return TO_INTEGER[mode](x.astype(np.float32)).astype(x.dtype) if x.itemsize < 4 else TO_INTEGER[mode](x)


def _finite(x: Array, result: Type) -> Array:
    largest = LARGEST_TF32 if result.name == "tf32" else float_info(result.dtype).largest
    if result.name in WITHOUT_NAN:
        return np.where(np.isnan(x), largest, np.clip(x, -largest, largest)).astype(x.dtype)
    return np.where(np.isnan(x), x, np.clip(x, -largest, largest).astype(x.dtype))


def _float_to_float(x: Array, result: Type, mode: str) -> Array:
    if result.name == "tf32":
        return _to_tf32(x, mode)
    if result.dtype == x.dtype:
        return x
    if mode == "rn" or result.dtype.itemsize > x.itemsize:
        value = narrowed(x, result.dtype)
    else:
        value = directed(x.astype(np.float64), np.zeros(1), result.dtype, mode)
    return canonical(value) if result.name not in EIGHT_BITS else value


def _to_tf32(x: Array, mode: str) -> Array:
    """`x` with 10 bits of mantissa, rounded to nearest: ties away from zero (`.rna`), to even, or towards zero."""
    bits = x.view(np.uint32)
    added = {"rz": 0, "rna": 0x1000}.get(mode, 0xFFF + (bits >> 13 & 1))
    return np.where(np.isfinite(x), as_tf32(bits + added), x)


def _float_to_integer(x: Array, result: Type, mode: str) -> Array:
    """Rounded, saturated; NaN becomes 0, or if a type has 64 bits, the number of which only the highest bit is set."""
    wide = TO_INTEGER[mode](x.astype(np.float64))
    value = conversions.saturated(wide, result.dtype)
    if x.itemsize == 8 or result.bits == 64:
        lowest = np.array(1 << (result.bits - 1), f"u{result.bits // 8}").view(result.dtype)
        value = np.where(np.isnan(wide), lowest, value)
    return value


def _integer_to_float(x: Array, result: Type, mode: str, form: Form) -> Array:
    if mode == "rn":
        return conversions.float_of_integer(x, result.dtype)
    if x.itemsize == 8:
        raise form.error(f"the rounding .{mode} of integers of 64 bits is not supported")
    return directed(x.astype(np.float64), np.zeros(1), result.dtype, mode)


def _integer_to_integer(x: Array, result: Type, *, clamps: bool) -> Array:
    if not clamps:
        return x.astype(result.dtype)
    info, own = np.iinfo(result.dtype), np.iinfo(x.dtype)
    return np.clip(x, max(int(info.min), int(own.min)), min(int(info.max), int(own.max))).astype(result.dtype)


def convert_packed(form: Form) -> Computation:
    """
    `cvt.pack.sat.dtype.s32{.b32}`: two numbers saturated to so many bits, the first one in the upper of them.

    Above numbers of fewer than 16 bits is what a third operand has in its lowest ones.
    """
    form.required("sat")
    name = form.required(*(f"{sign}{bits}" for bits in (16, 8, 4, 2) for sign in "us"))
    source, bits = TYPES[form.required("s32")], int(name[1:])
    has_rest = bits < 16
    if has_rest:
        form.required("b32")
    lowest, largest = (-(1 << bits - 1), (1 << bits - 1) - 1) if name[0] == "s" else (0, (1 << bits) - 1)

    def function(upper: Array, lower: Array, *rest: Array) -> Array:
        packed = np.zeros((1, 1), np.uint64)
        for number, part in enumerate((lower, upper)):
            field = np.clip(part, lowest, largest).astype(np.uint64) & np.uint64((1 << bits) - 1)
            packed = packed | field << np.uint64(number * bits)
        for words in rest:
            packed = packed | words.astype(np.uint64) << np.uint64(2 * bits)
        return packed.astype(np.uint32)

    return Computation([TYPES["b32"]], [source, source, *([TYPES["b32"]] if has_rest else [])], function)


def conversion(form: Form) -> Computation:
    return convert_packed(form) if form.has("pack") else convert(form)


CONVERSIONS: Mapping[str, Row] = {"cvt": computation(conversion, if_wide(FOLDED), "conversion")}
