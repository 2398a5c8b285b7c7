"""
Conversion between element types.

Source: StableHLO's `convert`; XLA's IR emitter where the specification is silent.
"""

from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType, f32
from xdsl.ir import Attribute, SSAValue

from xshardy.emitters.elemental.kinds import NATIVE_FLOATS, Kind, emitted_type, integer, kind_of, real_part
from xshardy.emitters.elemental.scalars import Scalars, width_of

INTEGERS = (Kind.SIGNED, Kind.UNSIGNED)
FLOATS = (Kind.FLOAT, Kind.SMALL_FLOAT)


def convert(s: Scalars, value: SSAValue, source: Attribute, target: Attribute) -> SSAValue:
    """
    Convert `value` between StableHLO element types.

    To a predicate: whether it is not 0. From a float to an integer: rounded toward 0, saturated at the bounds of the
    type, 0 for NaN. From a complex number to any other kind: its real part is converted.
    """
    source_kind, target_kind = kind_of(source), kind_of(target)
    if source == target:
        return value
    if source_kind is Kind.COMPLEX:
        return _from_complex(s, value, source, target)
    if target_kind is Kind.COMPLEX:
        part = real_part(target)
        return s.complex(convert(s, value, source, part), s.constant(0, part))
    if target_kind is Kind.PRED:
        return is_not_zero(s, widened(s, value))
    if source_kind in FLOATS:
        value = widened(s, value)
        return round_float(s, value, target) if target_kind in FLOATS else _float_to_integer(s, value, target)
    if target_kind in INTEGERS:
        return _resize_integer(s, value, source_kind, emitted_type(target))
    return _integer_to_float(s, value, source_kind, target)


def widened(s: Scalars, value: SSAValue) -> SSAValue:
    """A small float extended to f32; any other value unchanged."""
    return s(arith.ExtFOp(value, f32)) if kind_of(value.type) is Kind.SMALL_FLOAT else value


def round_float(s: Scalars, value: SSAValue, target: Attribute) -> SSAValue:
    """A native float converted to another float type, rounded to nearest even."""
    if value.type == target:
        return value
    width, target_width = NATIVE_FLOATS[type(value.type)], NATIVE_FLOATS.get(type(target), 8)
    if width == target_width:  # f16 and bf16: convert by way of f32, which represents both exactly
        return s(arith.TruncFOp(s(arith.ExtFOp(value, f32)), target))
    return s(arith.ExtFOp(value, target)) if width < target_width else s(arith.TruncFOp(value, target))


def same_bits(s: Scalars, value: SSAValue, target: Attribute) -> SSAValue:
    """Bitcast `value` to the emitted type `target`, which has the same width."""
    return value if value.type == target else s(arith.BitcastOp(value, target))


def is_not_zero(s: Scalars, value: SSAValue) -> SSAValue:
    """Whether an integer or a native float is not 0; true for NaN."""
    return s.compare("ne" if isinstance(value.type, IntegerType) else "une", value, 0)


def _from_complex(s: Scalars, value: SSAValue, source: Attribute, target: Attribute) -> SSAValue:
    part = real_part(source)
    real, imag = s.parts(value)
    if kind_of(target) is Kind.COMPLEX:
        return s.complex(*(convert(s, value, part, real_part(target)) for value in (real, imag)))
    return convert(s, real, part, target)


def _float_to_integer(s: Scalars, value: SSAValue, target: Attribute) -> SSAValue:
    """Select the saturated value outside of the range of `target`, where the cast is undefined."""
    type = integer(emitted_type(target))
    width = type.width.data
    is_signed = kind_of(target) is Kind.SIGNED
    lowest, highest = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)
    cast = s((arith.FPToSIOp if is_signed else arith.FPToUIOp)(value, type))
    # The highest integer may not be a float. The next float is then out of range and gives the same comparison.
    result = s.select(s.compare("oge", value, highest), s.constant(highest, type), cast)
    result = s.select(s.compare("ole", value, lowest), s.constant(lowest, type), result)
    return s.select(s.compare("uno", value, value), s.constant(0, type), result)


def _resize_integer(s: Scalars, value: SSAValue, source_kind: Kind, target: Attribute) -> SSAValue:
    width, target_width = width_of(value), integer(target).width.data
    if width == target_width:
        return value
    if width > target_width:
        return s(arith.TruncIOp(value, integer(target)))
    return s((arith.ExtSIOp if source_kind is Kind.SIGNED else arith.ExtUIOp)(value, integer(target)))


def _integer_to_float(s: Scalars, value: SSAValue, source_kind: Kind, target: Attribute) -> SSAValue:
    make = arith.SIToFPOp if source_kind is Kind.SIGNED else arith.UIToFPOp
    if type(target) not in NATIVE_FLOATS:
        return round_float(s, s(make(value, f32)), target)
    return s(make(value, cast(AnyFloat, target)))


def index_to_element(s: Scalars, index: SSAValue, target: Attribute) -> SSAValue:
    """A non-negative index as an element of the StableHLO type `target`, for `iota`."""
    if isinstance(emitted_type(target), IntegerType):
        return s(arith.IndexCastOp(index, emitted_type(target)))
    wide = IntegerType(64)
    return convert(s, s(arith.IndexCastOp(index, wide)), wide, target)
