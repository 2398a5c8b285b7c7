"""The types of elements by the names that users write: those of HLO text."""

from collections.abc import Mapping

from xdsl.dialects.builtin import (
    BFloat16Type,
    ComplexType,
    Float4E2M1FNType,
    Float8E3M4Type,
    Float8E4M3B11FNUZType,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E4M3Type,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
    i1,
)
from xdsl.ir import Attribute

FLOAT8_TYPES = (
    Float8E3M4Type,
    Float8E4M3Type,
    Float8E4M3B11FNUZType,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E5M2Type,
    Float8E5M2FNUZType,
)
"""The floats of 8 bits with a sign and a mantissa."""

HLO_FLOATS = (
    Float4E2M1FNType,
    *FLOAT8_TYPES,
    Float8E8M0FNUType,
    Float16Type,
    BFloat16Type,
    Float32Type,
    Float64Type,
)

ELEMENT_TYPES: Mapping[str, Attribute] = {
    "pred": i1,
    **{f"s{width}": IntegerType(width) for width in (2, 4, 8, 16, 32, 64)},
    **{f"u{width}": IntegerType(width, Signedness.UNSIGNED) for width in (2, 4, 8, 16, 32, 64)},
    **{kind.name.lower(): kind() for kind in HLO_FLOATS},
    "c64": ComplexType(Float32Type()),
    "c128": ComplexType(Float64Type()),
}
"""Element types by the name that HLO text gives them. Signed integers are signless, as in StableHLO."""
