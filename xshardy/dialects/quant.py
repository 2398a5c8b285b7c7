"""The types of MLIR's quant dialect that StableHLO tensors have as elements: real numbers stored as small integers."""

import sys
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntAttr,
    IntegerType,
    NoneAttr,
    Signedness,
    f64,
)
from xdsl.ir import Attribute, Dialect, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

MAX_STORAGE_BITS = 32

SCALES: Mapping[type[Attribute], tuple[float, float]] = {
    Float16Type: (2.0**-14, 65504.0),
    BFloat16Type: (2.0**-126, (2 - 2.0**-7) * 2.0**127),
    Float32Type: (2.0**-126, (2 - 2.0**-23) * 2.0**127),
    Float64Type: (sys.float_info.min, sys.float_info.max),
}
"""The smallest and largest scale by expressed type: the range of its normal numbers."""


def storage_range(storage: IntegerType) -> tuple[int, int]:
    """The smallest and largest integer that `storage` holds; a type without signedness counts as signed."""
    width = storage.width.data
    if storage.signedness.data == Signedness.UNSIGNED:
        return 0, 2**width - 1
    return -(2 ** (width - 1)), 2 ** (width - 1) - 1


@irdl_attr_definition
class UniformQuantizedType(ParametrizedAttribute, TypeAttribute):
    """
    `!quant.uniform<i8<-8:7>:f32, 0.5:2>`: the float `(stored - zero_point) * scale`, stored as an integer.

    One pair of scale and zero point serves the whole tensor, or one pair each index along `axis`, as in
    `!quant.uniform<u8:f32:1, {0.5:2,0.25}>`. Source: MLIR's quant dialect.
    """

    name = "quant.uniform"
    storage: IntegerType
    lowest: IntAttr
    highest: IntAttr
    expressed: AnyFloat
    axis: IntAttr | NoneAttr
    scales: ArrayAttr[FloatAttr]
    zero_points: ArrayAttr[IntAttr]

    @staticmethod
    def of(
        storage: IntegerType,
        expressed: AnyFloat,
        scales: Sequence[float],
        zero_points: Sequence[int],
        axis: int | None = None,
        limits: tuple[int, int] | None = None,
    ) -> "UniformQuantizedType":
        """A type from Python values; `limits` are those of the storage type unless given."""
        lowest, highest = limits or storage_range(storage)
        return UniformQuantizedType(
            storage,
            IntAttr(lowest),
            IntAttr(highest),
            expressed,
            NoneAttr() if axis is None else IntAttr(axis),
            ArrayAttr(FloatAttr(scale, f64) for scale in scales),
            ArrayAttr(map(IntAttr, zero_points)),
        )

    @property
    def quantized_dimension(self) -> int | None:
        """The dimension whose indices have a scale each; None if there is one scale for the whole tensor."""
        return self.axis.data if isinstance(self.axis, IntAttr) else None

    @property
    def bitwidth(self) -> int:
        """How many bits an element takes in memory."""
        return self.storage.width.data

    @property
    def parameters_of_elements(self) -> tuple[tuple[float, int], ...]:
        """The pairs of scale and zero point: one, or one for each index along `axis`."""
        pairs = zip(self.scales, self.zero_points, strict=True)
        return tuple((scale.value.data, zero_point.data) for scale, zero_point in pairs)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            storage, limits = _parse_storage(parser)
            parser.parse_punctuation(":")
            expressed = parser.parse_type()
            if not isinstance(expressed, AnyFloat):
                parser.raise_error("expected a floating point expressed type, as in `!quant.uniform<i8:f32, 0.5>`")
            axis = parser.parse_integer(allow_boolean=False) if parser.parse_optional_punctuation(":") else None
            parser.parse_punctuation(",")
            if axis is None:
                pairs = [_parse_scale(parser)]
            else:
                pairs = parser.parse_comma_separated_list(parser.Delimiter.BRACES, lambda: _parse_scale(parser))
        scales, zero_points = [scale for scale, _ in pairs], [zero_point for _, zero_point in pairs]
        return cls.of(storage, expressed, scales, zero_points, axis, limits).parameters

    def print_parameters(self, printer: Printer) -> None:
        letter = "u" if self.storage.signedness.data == Signedness.UNSIGNED else "i"
        limits = self.lowest.data, self.highest.data
        bounds = "" if limits == storage_range(self.storage) else f"<{limits[0]}:{limits[1]}>"
        with printer.in_angle_brackets():
            printer.print_string(f"{letter}{self.storage.width.data}{bounds}:")
            printer.print_attribute(self.expressed)
            axis = self.quantized_dimension
            printer.print_string(", " if axis is None else f":{axis}, {{")
            for i, (scale, zero_point) in enumerate(self.parameters_of_elements):
                printer.print_string("," if i else "")
                printer.print_float(scale, f64)
                printer.print_string(f":{zero_point}" if zero_point else "")
            printer.print_string("" if axis is None else "}")

    def verify(self) -> None:
        width = self.storage.width.data
        if not 1 <= width <= MAX_STORAGE_BITS:
            raise VerifyException(f"illegal storage type size: {width} (at most {MAX_STORAGE_BITS} bits)")
        lowest, highest = storage_range(self.storage)
        if self.lowest.data >= self.highest.data:
            raise VerifyException(
                f"illegal storage min and storage max combination: ({self.lowest.data}:{self.highest.data})"
            )
        if self.lowest.data < lowest:
            raise VerifyException(f"illegal storage type minimum: {self.lowest.data}")
        if self.highest.data > highest:
            raise VerifyException(f"illegal storage type maximum: {self.highest.data}")
        smallest, largest = SCALES.get(type(self.expressed), SCALES[Float64Type])
        for scale in self.scales:
            if not smallest <= scale.value.data <= largest:
                raise VerifyException(
                    f"scale {scale.value.data:e} out of expressed type range [{smallest:e}, {largest:e}]"
                )
        if (axis := self.quantized_dimension) is not None and axis < 0:
            raise VerifyException(f"illegal quantized dimension: {axis}")


def _parse_storage(parser: AttrParser) -> tuple[IntegerType, tuple[int, int] | None]:
    """`i8`, or with the limits of what is stored, `u8<0:100>`."""
    position = parser.pos
    name = parser.parse_identifier(" for a storage type, as in `i8` or `u4`")
    if name.startswith("ui"):  # how the builtin type is written
        name = f"u{name[2:]}"
    if name[0] not in "iu" or not name[1:].isdecimal():
        parser.raise_error(f"illegal storage type prefix in '{name}': expected `i8`, `u4`, ...", position, parser.pos)
    # Far above the limit, where the exact number is of no use to anyone.
    width = int(name[1:5])
    storage = IntegerType(width, Signedness.UNSIGNED if name[0] == "u" else Signedness.SIGNLESS)
    if parser.parse_optional_punctuation("<") is None:
        return storage, None
    lowest = parser.parse_integer(allow_boolean=False)
    parser.parse_punctuation(":")
    highest = parser.parse_integer(allow_boolean=False)
    parser.parse_punctuation(">")
    return storage, (lowest, highest)


def _parse_scale(parser: AttrParser) -> tuple[float, int]:
    """`0.5:2`, or without zero point `0.5`."""
    scale = float(parser.parse_number(allow_boolean=False))
    zero_point = parser.parse_integer(allow_boolean=False) if parser.parse_optional_punctuation(":") else 0
    return scale, zero_point


QUANT = Dialect("quant", [], [UniformQuantizedType])
