"""
The encodings of StableHLO's and CHLO's attributes and types, and of quantized types.

Source: StableHLO, StablehloBytecode.cpp and ChloBytecode.cpp, which list the codes and their fields; MLIR,
QuantDialectBytecode.td.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntAttr, IntegerAttr, IntegerType, Signedness, StringAttr, f64
from xdsl.ir import Attribute

from xshardy.dialects import chlo, stablehlo
from xshardy.dialects.quant import UniformQuantizedType
from xshardy.dialects.stablehlo.attributes import BoundsAttr, integers
from xshardy.dialects.stablehlo.dot_algorithm import DotAlgorithmAttr
from xshardy.dialects.stablehlo.linear_algebra import TransposeAttr
from xshardy.dialects.stablehlo.random_numbers import RngAlgorithmAttr, RngDistributionAttr
from xshardy.dialects.stablehlo.replica_groups import (
    AxisRefAttr,
    MeshAttr,
    MeshAxisAttr,
    ReplicaGroupMeshAxesAttr,
    SubAxisInfoAttr,
)
from xshardy.dialects.stablehlo.structs import ChannelHandleAttr, OutputOperandAliasAttr
from xshardy.dialects.stablehlo.types import FutureType, TokenType
from xshardy.syntax.bytecode.encoding import (
    ATTRIBUTE,
    ATTRIBUTES,
    BOOL,
    STRING,
    SVARINT,
    SVARINTS,
    TYPE,
    TYPES,
    VARINT,
    DialectEncoding,
    Encoding,
    Field,
    Table,
    array,
    constants,
    converted,
    enumeration,
    listed,
    optional,
    record,
    shared,
)
from xshardy.syntax.bytecode.numbers import read_float, write_float

INT = converted(SVARINT, IntAttr, lambda value: value.data)
INTS = converted(SVARINTS, integers, lambda value: value.get_values())
FLAG = converted(BOOL, shared(IntegerAttr.from_bool), lambda value: bool(value.value.data))
NAME = converted(STRING, StringAttr, lambda value: value.data)
ARRAY = converted(ATTRIBUTES, array, lambda value: value.data)
DOUBLE = Field(
    lambda source: FloatAttr(read_float(source, f64), f64),
    lambda sink, value: write_float(sink, f64, value.value.data),
)
BOUNDS = (
    converted(SVARINTS, lambda sizes: array([IntAttr(size) for size in sizes]), lambda value: [b.data for b in value]),
)
RESULT_ACCURACY = (DOUBLE, DOUBLE, INT, ATTRIBUTE)

SIGNED_STORAGE = 1
"""The flag of a quantized type whose stored integers have a sign."""

ONE_SCALE = (VARINT, TYPE, TYPE, DOUBLE, SVARINT, SVARINT, SVARINT)
SCALE_PER_INDEX = (VARINT, TYPE, TYPE, VARINT, SVARINT, SVARINT, listed(DOUBLE), listed(SVARINT))


def _storage(flags: int, storage: IntegerType) -> IntegerType:
    """MLIR keeps whether stored integers are unsigned apart from their type."""
    return storage if flags & SIGNED_STORAGE else IntegerType(storage.width.data, Signedness.UNSIGNED)


def _storage_parts(type: UniformQuantizedType) -> tuple[int, IntegerType, Attribute]:
    if type.storage.signedness.data is Signedness.UNSIGNED:
        return 0, IntegerType(type.storage.width.data), type.expressed
    return SIGNED_STORAGE, type.storage, type.expressed


def quantized(
    flags: int, storage: IntegerType, expressed: AnyFloat, scale: FloatAttr, zero_point: int, lowest: int, highest: int
) -> UniformQuantizedType:
    return UniformQuantizedType.of(
        _storage(flags, storage), expressed, [scale.value.data], [zero_point], None, (lowest, highest)
    )


def quantized_parts(type: UniformQuantizedType) -> Sequence[object] | None:
    if type.quantized_dimension is not None:
        return None
    limits = type.lowest.data, type.highest.data
    return *_storage_parts(type), type.scales.data[0], type.zero_points.data[0].data, *limits


def quantized_along_axis(
    flags: int,
    storage: IntegerType,
    expressed: AnyFloat,
    axis: int,
    lowest: int,
    highest: int,
    scales: Sequence[FloatAttr],
    zero_points: Sequence[int],
) -> UniformQuantizedType:
    values = [scale.value.data for scale in scales]
    return UniformQuantizedType.of(_storage(flags, storage), expressed, values, zero_points, axis, (lowest, highest))


def quantized_along_axis_parts(type: UniformQuantizedType) -> Sequence[object]:
    limits, zero_points = (type.lowest.data, type.highest.data), [point.data for point in type.zero_points]
    return *_storage_parts(type), type.quantized_dimension, *limits, type.scales.data, zero_points


def quantized_rows(one_scale: int, scale_per_index: int) -> Sequence[Encoding]:
    """The rows of quantized types, by their codes."""
    return (
        Encoding(one_scale, UniformQuantizedType, ONE_SCALE, quantized, quantized_parts),
        Encoding(
            scale_per_index,
            UniformQuantizedType,
            SCALE_PER_INDEX,
            quantized_along_axis,
            quantized_along_axis_parts,
        ),
    )


STABLEHLO = DialectEncoding(
    attributes=Table(
        (
            record(1, ChannelHandleAttr, INT, INT),
            enumeration(2, stablehlo.ComparisonDirectionAttr),
            enumeration(3, stablehlo.ComparisonTypeAttr),
            record(4, stablehlo.ConvDimensionNumbersAttr, INT, INT, INTS, INT, INT, INTS, INT, INT, INTS),
            record(5, stablehlo.DotDimensionNumbersAttr, INTS, INTS, INTS, INTS),
            enumeration(6, stablehlo.FftTypeAttr),
            record(7, stablehlo.GatherDimensionNumbersAttr, INTS, INTS, INTS, INTS, INTS, INT),
            enumeration(8, stablehlo.PrecisionAttr),
            enumeration(9, RngAlgorithmAttr),
            enumeration(10, RngDistributionAttr, first=1),
            record(11, stablehlo.ScatterDimensionNumbersAttr, INTS, INTS, INTS, INTS, INTS, INT),
            enumeration(12, TransposeAttr),
            record(13, BoundsAttr, *BOUNDS),
            record(14, OutputOperandAliasAttr, INTS, INT, INTS),
            record(15, DotAlgorithmAttr, TYPE, TYPE, TYPE, INT, INT, INT, FLAG),
            enumeration(16, stablehlo.ResultAccuracyModeAttr),
            record(17, stablehlo.ResultAccuracyAttr, *RESULT_ACCURACY),
            record(18, ReplicaGroupMeshAxesAttr, ATTRIBUTE, ARRAY),
            record(19, SubAxisInfoAttr, INT, INT),
            record(20, AxisRefAttr, NAME, optional(ATTRIBUTE, BOOL)),
            record(21, MeshAxisAttr, NAME, INT),
            record(22, MeshAttr, ATTRIBUTE, optional(ATTRIBUTE, BOOL)),
        )
    ),
    types=Table((*constants({0: TokenType()}), record(1, FutureType, converted(TYPES, array, lambda v: v.data)))),
)

CHLO = DialectEncoding(
    attributes=Table((enumeration(0, chlo.ComparisonDirectionAttr), enumeration(1, chlo.ComparisonTypeAttr))),
    types=Table(()),
)

QUANT = DialectEncoding(attributes=Table(()), types=Table(quantized_rows(one_scale=3, scale_per_index=4)))
