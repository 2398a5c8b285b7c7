"""
NVIDIA's conversions of floats of 4 and 8 bits, as functions in LLVM IR for any host.

They use no bit manipulation: a small float is an index into the table of the format's values, and rounding searches the
midpoints of adjacent values. Source: PTX ISA, `cvt`, the packed formats.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ml_dtypes
import numpy as np

from xshardy.numerics.element_types import Array

_PREFIX = "@xshardy.cvt."


@dataclass(frozen=True)
class SmallFormat:
    """A format with two floats in the lower bits of an i16, the first one lowest."""

    name: str
    """The part of the intrinsics' names."""
    dtype: Any
    bits: int
    nan: int
    """The code of NaN, or of its replacement."""

    @cached_property
    def values(self) -> Array:
        """The value of every code, as f16."""
        codes = np.arange(1 << self.bits, dtype=np.uint8)
        return codes.view(self.dtype).astype(np.float16)

    @cached_property
    def middles(self) -> Array:
        """
        The midpoints of adjacent values from 0 up, exact as f64; at the end NaNs, which compare false with everything.
        """
        positive = self.values[: 1 << (self.bits - 1)].astype(np.float64)
        positive = positive[np.isfinite(positive)]
        middles = np.full((1 << (self.bits - 1)) - 1, np.nan)
        middles[: positive.size - 1] = (positive[:-1] + positive[1:]) / 2
        return middles

    def table(self) -> str:
        """The values and the midpoints, as global constants."""
        values = ", ".join(f"i16 {bits}" for bits in self.values.view(np.uint16))
        middles = ", ".join(f"i64 {bits}" for bits in self.middles.view(np.uint64))
        return (
            f"{_PREFIX}{self.name}.values = internal constant [{self.values.size} x i16] [{values}]\n"
            f"{_PREFIX}{self.name}.middles = internal constant [{self.middles.size} x i64] [{middles}]"
        )

    def rounding(self) -> str:
        """`xshardy.cvt.NAME.round`: the code nearest to an f64; ties to even, without infinity."""
        lines: list[str] = []
        code, middles = "0", f"[{self.middles.size} x double], ptr {_PREFIX}{self.name}.middles"
        for step in range(self.bits - 2, -1, -1):
            lines += [
                f"%i{step} = add i32 {code}, {(1 << step) - 1}",
                f"%p{step} = getelementptr {middles}, i32 0, i32 %i{step}",
                f"%m{step} = load double, ptr %p{step}",
                f"%above{step} = fcmp ogt double %magnitude, %m{step}",
                f"%equal{step} = fcmp oeq double %magnitude, %m{step}",
                f"%odd{step} = trunc i32 %i{step} to i1",
                f"%tie{step} = and i1 %equal{step}, %odd{step}",
                f"%up{step} = or i1 %above{step}, %tie{step}",
                f"%width{step} = select i1 %up{step}, i32 {1 << step}, i32 0",
                f"%code{step} = add i32 {code}, %width{step}",
            ]
            code = f"%code{step}"
        body = "\n  ".join(lines)
        return f"""define internal i16 {_PREFIX}{self.name}.round(double %x) {{
  %below = fcmp olt double %x, 0.0
  %negated = fneg double %x
  %magnitude = select i1 %below, double %negated, double %x
  {body}
  %bits = bitcast double %x to i64
  %negative = icmp slt i64 %bits, 0
  %sign = select i1 %negative, i32 {1 << (self.bits - 1)}, i32 0
  %signed = or i32 {code}, %sign
  %isnan = fcmp uno double %x, %x
  %chosen = select i1 %isnan, i32 {self.nan}, i32 %signed
  %result = trunc i32 %chosen to i16
  ret i16 %result
}}"""

    def _from_two(self, intrinsic: str, type: str, parameters: str, elements: str = "") -> str:
        """
        Round two floats of `type`, `%low` and `%high`: the parameters, or the values that `elements` computes from
        them.
        """
        return f"""define internal i16 {_PREFIX}{intrinsic}({parameters}) {{{elements}
  %low.wide = fpext {type} %low to double
  %high.wide = fpext {type} %high to double
  %low.code = call i16 {_PREFIX}{self.name}.round(double %low.wide)
  %high.code = call i16 {_PREFIX}{self.name}.round(double %high.wide)
  %high.bits = shl i16 %high.code, {self.bits}
  %pair = or i16 %low.code, %high.bits
  ret i16 %pair
}}"""

    def from_halves(self, intrinsic: str) -> str:
        """Two f16, as a vector, to a pair."""
        elements = [f"\n  %{name} = extractelement <2 x half> %x, i32 {i}" for i, name in enumerate(("low", "high"))]
        return self._from_two(intrinsic, "half", "<2 x half> %x", "".join(elements))

    def from_singles(self, intrinsic: str) -> str:
        """Two f32 to a pair, the first one highest."""
        return self._from_two(intrinsic, "float", "float %high, float %low")

    def to_halves(self, intrinsic: str) -> str:
        """A pair to two f16."""
        size, mask = self.values.size, self.values.size - 1
        address = f"getelementptr [{size} x half], ptr {_PREFIX}{self.name}.values, i16 0, i16"
        return f"""define internal <2 x half> {_PREFIX}{intrinsic}(i16 %x) {{
  %low.code = and i16 %x, {mask}
  %shifted = lshr i16 %x, {self.bits}
  %high.code = and i16 %shifted, {mask}
  %low.place = {address} %low.code
  %high.place = {address} %high.code
  %low = load half, ptr %low.place
  %high = load half, ptr %high.place
  %first = insertelement <2 x half> poison, half %low, i32 0
  %both = insertelement <2 x half> %first, half %high, i32 1
  ret <2 x half> %both
}}"""


FORMATS = (
    SmallFormat("e4m3", ml_dtypes.float8_e4m3fn, 8, nan=0x7F),
    SmallFormat("e5m2", ml_dtypes.float8_e5m2, 8, nan=0x7F),
    SmallFormat("e2m1", ml_dtypes.float4_e2m1fn, 4, nan=0x7),
)


def _functions() -> Iterator[tuple[str, tuple[SmallFormat, Callable[[str], str]]]]:
    for format in FORMATS:
        suffix = ".satfinite" if format.name == "e2m1" else ""
        yield f"{format.name}x2.to.f16x2.rn", (format, format.to_halves)
        yield f"f16x2.to.{format.name}x2.rn{suffix}", (format, format.from_halves)
        yield f"ff.to.{format.name}x2.rn{suffix}", (format, format.from_singles)


FUNCTIONS: Mapping[str, tuple[SmallFormat, Callable[[str], str]]] = dict(_functions())
"""By the name of the intrinsic, after `llvm.nvvm.`: its format, and the generator of the function that replaces it."""

_DECLARATION = re.compile(r"^declare [^@\n]*@llvm\.nvvm\.(?P<name>[\w.]+)\([^\n]*$\n?", re.MULTILINE)


def with_conversions(text: str) -> str:
    """LLVM IR with the conversions of small floats replaced by calls of functions that it defines."""
    used = [name for name in _DECLARATION.findall(text) if name in FUNCTIONS]
    if not used:
        return text
    text = _DECLARATION.sub(lambda found: "" if found["name"] in FUNCTIONS else found[0], text)
    for name in used:
        text = text.replace(f"@llvm.nvvm.{name}(", f"{_PREFIX}{name}(")
    formats = {FUNCTIONS[name][0].name: FUNCTIONS[name][0] for name in used}
    tables = [part for format in formats.values() for part in (format.table(), format.rounding())]
    return "\n".join([text, *tables, *(FUNCTIONS[name][1](name) for name in used)])
