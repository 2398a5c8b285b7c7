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

ELEMENT_TYPES: Mapping[str, Attribute] = {
    "pred": i1,
    **{f"s{width}": IntegerType(width) for width in (2, 4, 8, 16, 32, 64)},
    **{f"u{width}": IntegerType(width, Signedness.UNSIGNED) for width in (2, 4, 8, 16, 32, 64)},
    "f4e2m1fn": Float4E2M1FNType(),
    "f8e3m4": Float8E3M4Type(),
    "f8e4m3": Float8E4M3Type(),
    "f8e4m3b11fnuz": Float8E4M3B11FNUZType(),
    "f8e4m3fn": Float8E4M3FNType(),
    "f8e4m3fnuz": Float8E4M3FNUZType(),
    "f8e5m2": Float8E5M2Type(),
    "f8e5m2fnuz": Float8E5M2FNUZType(),
    "f8e8m0fnu": Float8E8M0FNUType(),
    "f16": Float16Type(),
    "bf16": BFloat16Type(),
    "f32": Float32Type(),
    "f64": Float64Type(),
    "c64": ComplexType(Float32Type()),
    "c128": ComplexType(Float64Type()),
}
"""Element types by the name that HLO text gives them. Signed integers are signless, as in StableHLO."""
