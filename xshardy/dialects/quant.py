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

LETTERS: Mapping[Signedness, str] = {Signedness.SIGNLESS: "i", Signedness.SIGNED: "si", Signedness.UNSIGNED: "u"}
SIGNEDNESS: Mapping[str, Signedness] = {letters: signedness for signedness, letters in LETTERS.items()}
"""What a storage type begins with."""

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
            axis = None
            if parser.parse_optional_punctuation(":"):
                blocks = parser.parse_optional_comma_separated_list(
                    parser.Delimiter.BRACES, lambda: _parse_block(parser)
                )
                if blocks is not None:
                    return SubChannelQuantizedType.parse_parameters_of_blocks(
                        parser, storage, limits, expressed, blocks
                    )
                axis = parser.parse_integer(allow_boolean=False)
            parser.parse_punctuation(",")
            if axis is None:
                pairs = [_parse_scale(parser)]
            else:
                pairs = parser.parse_comma_separated_list(parser.Delimiter.BRACES, lambda: _parse_scale(parser))
        scales, zero_points = [scale for scale, _ in pairs], [zero_point for _, zero_point in pairs]
        return cls.of(storage, expressed, scales, zero_points, axis, limits).parameters

    @classmethod
    def new(cls, params: Sequence[Attribute]) -> "UniformQuantizedType":
        # Types of one name are read by one class, which xDSL then has make the type.
        return (
            super().new(params)
            if len(params) == len(cls.get_irdl_definition().parameters)
            else SubChannelQuantizedType.new(params)
        )  # pyright: ignore[reportReturnType]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            _print_storage(printer, self)
            axis = self.quantized_dimension
            printer.print_string(", " if axis is None else f":{axis}, {{")
            for i, (scale, zero_point) in enumerate(self.parameters_of_elements):
                printer.print_string("," if i else "")
                _print_scale(printer, scale, zero_point)
            printer.print_string("" if axis is None else "}")

    def verify(self) -> None:
        _verify_storage(self)
        if (axis := self.quantized_dimension) is not None and axis < 0:
            raise VerifyException(f"illegal quantized dimension: {axis}")


@irdl_attr_definition
class SubChannelQuantizedType(ParametrizedAttribute, TypeAttribute):
    """
    `!quant.uniform<i8:f32:{0:2, 1:4}, {{0.5:2, 0.25}, {1.0, 2.0}}>`: a pair of scale and zero point for each block.

    Blocks are 2 wide along dimension 0 and 4 along dimension 1; the pairs are written as a tensor literal with braces.
    StableHLO has no operation on such elements: they are carried along. Source: MLIR's quant dialect.
    """

    name = "quant.uniform"
    storage: IntegerType
    lowest: IntAttr
    highest: IntAttr
    expressed: AnyFloat
    dimensions: ArrayAttr[IntAttr]
    block_sizes: ArrayAttr[IntAttr]
    blocks: ArrayAttr[IntAttr]
    """How many blocks there are along each dimension of the tensor."""
    scales: ArrayAttr[FloatAttr]
    zero_points: ArrayAttr[IntAttr]

    @property
    def bitwidth(self) -> int:
        """How many bits an element takes in memory."""
        return self.storage.width.data

    @classmethod
    def parse_parameters_of_blocks(
        cls,
        parser: AttrParser,
        storage: IntegerType,
        limits: tuple[int, int] | None,
        expressed: AnyFloat,
        blocks: Sequence[tuple[int, int]],
    ) -> Sequence[Attribute]:
        """What is behind the blocks: `, {{0.5:2, 0.25}, {1.0, 2.0}}`."""
        parser.parse_punctuation(",")
        shape, pairs = _parse_scales(parser)
        lowest, highest = limits or storage_range(storage)
        return [
            storage,
            IntAttr(lowest),
            IntAttr(highest),
            expressed,
            ArrayAttr(IntAttr(dimension) for dimension, _ in blocks),
            ArrayAttr(IntAttr(size) for _, size in blocks),
            ArrayAttr(map(IntAttr, shape)),
            ArrayAttr(FloatAttr(scale, f64) for scale, _ in pairs),
            ArrayAttr(IntAttr(zero_point) for _, zero_point in pairs),
        ]

    def print_parameters(self, printer: Printer) -> None:
        blocks = (f"{dim.data}:{size.data}" for dim, size in zip(self.dimensions, self.block_sizes, strict=True))
        pairs = iter(zip(self.scales, self.zero_points, strict=True))

        def print_nested(shape: Sequence[int]) -> None:
            if not shape:
                scale, zero_point = next(pairs)
                _print_scale(printer, scale.value.data, zero_point.data)
                return
            with printer.in_braces():
                printer.print_list(range(shape[0]), lambda _: print_nested(shape[1:]))

        with printer.in_angle_brackets():
            _print_storage(printer, self)
            printer.print_string(f":{{{', '.join(blocks)}}}, ")
            print_nested([count.data for count in self.blocks])

    def verify(self) -> None:
        _verify_storage(self)
        dimensions = [dimension.data for dimension in self.dimensions]
        for dimension in dimensions:
            if not 0 <= dimension < len(self.blocks) or dimensions.count(dimension) > 1:
                raise VerifyException(f"illegal quantized dimension: {dimension}")
        for size in self.block_sizes:
            if size.data <= 0:
                raise VerifyException(f"illegal block size: {size.data}")


def _verify_storage(type: UniformQuantizedType | SubChannelQuantizedType) -> None:
    """The integers that are stored fit their type, and the scales the expressed one."""
    width = type.storage.width.data
    if not 1 <= width <= MAX_STORAGE_BITS:
        raise VerifyException(f"illegal storage type size: {width} (at most {MAX_STORAGE_BITS} bits)")
    lowest, highest = storage_range(type.storage)
    if type.lowest.data >= type.highest.data:
        raise VerifyException(
            f"illegal storage min and storage max combination: ({type.lowest.data}:{type.highest.data})"
        )
    if type.lowest.data < lowest:
        raise VerifyException(f"illegal storage type minimum: {type.lowest.data}")
    if type.highest.data > highest:
        raise VerifyException(f"illegal storage type maximum: {type.highest.data}")
    smallest, largest = SCALES.get(type.expressed.__class__, SCALES[Float64Type])
    for scale in type.scales:
        if not smallest <= scale.value.data <= largest:
            raise VerifyException(f"scale {scale.value.data:e} out of expressed type range [{smallest:e}, {largest:e}]")


def _print_storage(printer: Printer, type: UniformQuantizedType | SubChannelQuantizedType) -> None:
    """`i8<-8:7>:f32`, without the limits if they are those of the storage type."""
    limits = type.lowest.data, type.highest.data
    bounds = "" if limits == storage_range(type.storage) else f"<{limits[0]}:{limits[1]}>"
    printer.print_string(f"{LETTERS[type.storage.signedness.data]}{type.storage.width.data}{bounds}:")
    printer.print_attribute(type.expressed)


def _print_scale(printer: Printer, scale: float, zero_point: int) -> None:
    printer.print_float(scale, f64)
    printer.print_string(f":{zero_point}" if zero_point else "")


def _parse_block(parser: AttrParser) -> tuple[int, int]:
    """`0:2`: a dimension and the size of blocks along it."""
    dimension = parser.parse_integer(allow_boolean=False)
    parser.parse_punctuation(":")
    return dimension, parser.parse_integer(allow_boolean=False)


def _parse_scales(parser: AttrParser) -> tuple[list[int], list[tuple[float, int]]]:
    """`{{0.5:2, 0.25}, {1.0, 2.0}}` -> its shape, and the pairs in rows."""
    start = parser.pos
    nested = parser.parse_optional_comma_separated_list(parser.Delimiter.BRACES, lambda: _parse_scales(parser))
    if nested is None:
        return [], [_parse_scale(parser)]
    if not nested or any(shape != nested[0][0] for shape, _ in nested):
        parser.raise_error(
            "expected scales in rows of one length, as in `{{0.5, 0.25}, {1.0, 2.0}}`", start, parser.pos
        )
    return [len(nested), *nested[0][0]], [pair for _, pairs in nested for pair in pairs]


def _parse_storage(parser: AttrParser) -> tuple[IntegerType, tuple[int, int] | None]:
    """`i8`, or with the limits of what is stored, `u8<0:100>`."""
    position = parser.pos
    name = parser.parse_identifier(context_msg=" for a storage type, as in `i8` or `u4`")
    if name.startswith("ui"):  # how the builtin type is written
        name = f"u{name[2:]}"
    letters = name.rstrip("0123456789")
    if letters not in SIGNEDNESS or letters == name:
        parser.raise_error(f"illegal storage type prefix in '{name}': expected `i8`, `u4`, ...", position, parser.pos)
    # Far above the limit, where the exact number is of no use to anyone.
    storage = IntegerType(int(name[len(letters) :][:4]), SIGNEDNESS[letters])
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
