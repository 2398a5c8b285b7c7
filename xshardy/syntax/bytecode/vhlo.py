"""
The encodings of the attributes and types of VHLO, the dialect of StableHLO's portable artifacts.

They are built as the attributes and types of StableHLO and MLIR for which they stand: there is no VHLO here but this
table, and that of operations in `vhlo_operations.py`. Each row has the version of StableHLO that brought it, so that
artifacts for older versions are refused where they lack it.
Source: StableHLO, VhloBytecode.cpp, VhloAttrs.td, VhloTypes.td and VhloEnums.td.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    BytesAttr,
    ComplexType,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    Float4E2M1FNType,
    Float6E2M3FNType,
    Float6E3M2FNType,
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
    FloatAttr,
    FloatTF32Type,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    NoneType,
    Signedness,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    TupleType,
    UnrankedTensorType,
    i1,
)
from xdsl.ir import Attribute, Data, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.attributes import BoundsAttr
from xshardy.dialects.stablehlo.linear_algebra import TransposeAttr
from xshardy.dialects.stablehlo.random_numbers import RngAlgorithmAttr, RngDistributionAttr
from xshardy.dialects.stablehlo.replica_groups import (
    AxisRefAttr,
    MeshAttr,
    MeshAxisAttr,
    ReplicaGroupMeshAxesAttr,
    SubAxisInfoAttr,
)
from xshardy.dialects.stablehlo.structs import OutputOperandAliasAttr
from xshardy.dialects.stablehlo.types import FutureType, TokenType
from xshardy.dialects.texts import text_attribute
from xshardy.syntax.bytecode.builtin import (
    complex_type,
    dictionary,
    element_of,
    encoded_tensor,
    function_type,
    itself,
    of_type,
    shape_of,
    sorted_entries,
    tensor,
    unranked_tensor,
)
from xshardy.syntax.bytecode.encoding import (
    ATTRIBUTE,
    ATTRIBUTES,
    BLOB,
    SHAPE,
    TEXT,
    TYPE,
    TYPES,
    VARINT,
    DialectEncoding,
    Encoding,
    Field,
    Table,
    array,
    attribute_of,
    constants,
    converted,
    enumeration,
    listed,
    optional,
    record,
    together,
)
from xshardy.syntax.bytecode.numbers import (
    FLOAT,
    INTEGER,
    dense_bytes,
    dense_of,
    float_of,
    float_parts,
    integer_of,
    integer_parts,
    is_integer,
)
from xshardy.syntax.bytecode.places import is_none
from xshardy.syntax.bytecode.stablehlo import BOUNDS, INT, INTS, RESULT_ACCURACY, quantized_rows


@irdl_attr_definition
class ApiVersion(Data[int]):
    """The version of the interface of a custom call: an enumeration in VHLO, an integer in StableHLO."""

    name = "xshardy.vhlo_api_version"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> int:
        with parser.in_angle_brackets():
            return parser.parse_integer()

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data}>")


STRING_ATTRIBUTE = attribute_of(StringAttr)

OPTIONAL_ATTRIBUTE = Field(
    lambda source: source.optional_attribute() or NoneAttr(),
    lambda sink, value: sink.optional_attribute(None if is_none(value) else value),
)


def _mesh(mesh: Attribute) -> Attribute:
    """A mesh, or the symbol of one, which is a string in VHLO."""
    return SymbolRefAttr(mesh) if isinstance(mesh, StringAttr) else mesh


MESH = converted(ATTRIBUTE, _mesh, lambda mesh: mesh.root_reference if isinstance(mesh, SymbolRefAttr) else mesh)


def _bool(value: int) -> Attribute:
    return IntegerAttr.from_bool(value == 1)


def _bool_parts(attribute: IntegerAttr) -> Sequence[int] | None:
    return (int(bool(attribute.value.data)),) if attribute.type == i1 else None


def _symbol_parts(attribute: SymbolRefAttr) -> Sequence[str] | None:
    return None if attribute.nested_references.data else (attribute.root_reference.data,)


def _integer(width: int, signedness: Signedness = Signedness.SIGNLESS) -> IntegerType:
    return IntegerType(width, signedness)


CONSTANT_TYPES: Mapping[int, Attribute] = {
    0: i1,
    2: BFloat16Type(),
    3: Float16Type(),
    4: Float32Type(),
    5: Float64Type(),
    6: Float8E4M3FNType(),
    7: Float8E5M2Type(),
    9: IndexType(),
    **{code: _integer(width) for code, width in ((31, 2), (10, 4), (11, 8), (12, 16), (13, 32), (14, 64))},
    **{
        code: _integer(width, Signedness.UNSIGNED)
        for code, width in ((32, 2), (15, 4), (16, 8), (17, 16), (18, 32), (19, 64))
    },
    22: TokenType(),
    27: Float8E4M3FNUZType(),
    28: Float8E5M2FNUZType(),
    29: Float8E4M3B11FNUZType(),
    33: NoneType(),
    34: FloatTF32Type(),
    35: Float8E4M3Type(),
    36: Float8E3M4Type(),
    37: Float4E2M1FNType(),
    38: Float6E2M3FNType(),
    39: Float6E3M2FNType(),
    40: Float8E8M0FNUType(),
}


def _memref(shape: Sequence[int], element: Attribute) -> MemRefType:
    return MemRefType(element, shape)


def _memref_parts(type: MemRefType) -> Sequence[object] | None:
    return (shape_of(type), type.element_type) if is_none(type.layout) and is_none(type.memory_space) else None


VHLO = DialectEncoding(
    attributes=Table(
        (
            Encoding(1, ArrayAttr, (ATTRIBUTES,), array, lambda a: (a.data,)),
            Encoding(2, IntegerAttr, (VARINT,), _bool, _bool_parts),
            enumeration(3, stablehlo.ComparisonDirectionAttr),
            enumeration(4, stablehlo.ComparisonTypeAttr),
            Encoding(5, ApiVersion, (VARINT,), ApiVersion, lambda a: (a.data,)),
            Encoding(
                6,
                DictionaryAttr,
                (listed(together(STRING_ATTRIBUTE, ATTRIBUTE)),),
                dictionary,
                lambda a: (sorted_entries(a),),
            ),
            enumeration(7, stablehlo.FftTypeAttr),
            Encoding(8, FloatAttr, (FLOAT,), float_of, float_parts),
            Encoding(9, IntegerAttr, (INTEGER,), integer_of, integer_parts),
            record(10, OutputOperandAliasAttr, INTS, INT, INTS),
            enumeration(11, stablehlo.PrecisionAttr),
            enumeration(12, RngAlgorithmAttr),
            enumeration(13, RngDistributionAttr, first=1),
            Encoding(14, StringAttr, (TEXT,), text_attribute, lambda a: (a.data,)),
            Encoding(14, BytesAttr, (TEXT,), text_attribute, lambda a: (a.data,)),
            Encoding(14, SymbolRefAttr, (TEXT,), text_attribute, _symbol_parts),
            Encoding(15, DenseIntOrFPElementsAttr, (TYPE, BLOB), dense_of, lambda a: (a.type, dense_bytes(a))),
            enumeration(16, TransposeAttr),
            Encoding(17, TypeAttribute, (TYPE,), itself, of_type),
            record(18, BoundsAttr, *BOUNDS),
            enumeration(19, stablehlo.ResultAccuracyModeAttr),
            record(20, stablehlo.ResultAccuracyAttr, *RESULT_ACCURACY),
            record(21, SubAxisInfoAttr, INT, INT),
            record(22, AxisRefAttr, STRING_ATTRIBUTE, optional(ATTRIBUTE, VARINT)),
            record(23, ReplicaGroupMeshAxesAttr, MESH, attribute_of(ArrayAttr)),
            record(24, MeshAxisAttr, STRING_ATTRIBUTE, INT),
            record(25, MeshAttr, attribute_of(ArrayAttr), OPTIONAL_ATTRIBUTE),
        )
    ),
    types=Table(
        (
            *constants(CONSTANT_TYPES),
            Encoding(1, ComplexType, (TYPE,), complex_type, element_of),
            Encoding(8, FunctionType, (TYPES, TYPES), function_type, lambda t: (t.inputs.data, t.outputs.data)),
            Encoding(
                20,
                TensorType,
                (SHAPE, TYPE),
                tensor,
                lambda t: (shape_of(t), t.element_type) if is_none(t.encoding) else None,
            ),
            Encoding(
                21,
                TensorType,
                (ATTRIBUTE, SHAPE, TYPE),
                encoded_tensor,
                lambda t: (t.encoding, shape_of(t), t.element_type),
            ),
            Encoding(23, TupleType, (TYPES,), TupleType, lambda t: (t.types.data,)),
            *quantized_rows(one_scale=24, scale_per_index=30),
            Encoding(25, UnrankedTensorType, (TYPE,), unranked_tensor, element_of),
            Encoding(41, MemRefType, (SHAPE, TYPE), _memref, _memref_parts),
            record(42, FutureType, converted(TYPES, array, lambda value: value.data)),
        )
    ),
)

Version = tuple[int, int]
"""A version of StableHLO, without its last number, which changes no operation."""

OLDEST: Version = (1, 0)
NEWEST: Version = (1, 22)
"""The versions that the tables know; that of jaxlib 0.12. The last two bring no operation, attribute or type."""

MIXED: Version = (1, 11)
"""The version from which on operations and attributes of other dialects may be in an artifact, as they are."""

SINCE: Mapping[type[Attribute], Version] = {
    Float8E4M3Type: (1, 7),
    Float8E3M4Type: (1, 7),
    FloatTF32Type: (1, 6),
    Float4E2M1FNType: (1, 8),
    Float6E2M3FNType: (1, 8),
    Float6E3M2FNType: (1, 8),
    Float8E8M0FNUType: (1, 8),
    stablehlo.ResultAccuracyAttr: (1, 9),
    MemRefType: (1, 13),
    FutureType: (1, 15),
    SubAxisInfoAttr: (1, 16),
    AxisRefAttr: (1, 16),
    ReplicaGroupMeshAxesAttr: (1, 16),
    MeshAxisAttr: (1, 16),
    MeshAttr: (1, 16),
}
"""The version of StableHLO that brought an attribute or a type, if it is newer than 1.0."""

TWO_BITS: Version = (1, 2)
"""The version that brought integers of 2 bits."""


def since(attribute: Attribute) -> Version | None:
    """The version of StableHLO that brought an attribute or a type; None if it is in all that are known."""
    if is_integer(attribute) and attribute.width.data == 2:
        return TWO_BITS
    return SINCE.get(attribute.__class__)


def text_of(version: Version) -> str:
    """`1.5.0`"""
    return f"{version[0]}.{version[1]}.0"
