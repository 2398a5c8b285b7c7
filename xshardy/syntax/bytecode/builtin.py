"""
The encodings of the attributes, types and locations of MLIR's builtin dialect.

Source: MLIR, BuiltinDialectBytecode.td, which lists the codes and their fields; the small floats and ranges of files as
jaxlib writes them.
"""

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    BFloat16Type,
    BytesAttr,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
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
    Float80Type,
    Float128Type,
    FloatAttr,
    FloatTF32Type,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    NoneType,
    ShapedType,
    Signedness,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    TupleType,
    UnitAttr,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, TypeAttribute
from xdsl.ir.affine import AffineMap

from xshardy.dialects.texts import text_attribute
from xshardy.ir import new_attribute
from xshardy.syntax.bytecode.encoding import (
    ATTRIBUTE,
    ATTRIBUTES,
    BLOB,
    BOOL,
    RESOURCE,
    SHAPE,
    TEXT,
    TYPE,
    TYPES,
    VARINT,
    DialectEncoding,
    Encoding,
    Table,
    array,
    constants,
    listed,
    shared,
    together,
)
from xshardy.syntax.bytecode.errors import BytecodeError
from xshardy.syntax.bytecode.layouts import LAYOUTS
from xshardy.syntax.bytecode.numbers import (
    FLOAT,
    INTEGER,
    dense_bytes,
    dense_of,
    float_of,
    float_parts,
    integer_of,
    integer_parts,
)
from xshardy.syntax.bytecode.places import LOCATIONS, NAME, is_none
from xshardy.syntax.bytecode.resources import Resource
from xshardy.syntax.resources import elements_of

NO_ATTRIBUTE = NoneAttr()


def shape_of(type: ShapedType) -> Sequence[int]:
    return type.get_shape()


# Attributes


def dictionary(entries: Sequence[tuple[StringAttr, Attribute]]) -> DictionaryAttr:
    return DictionaryAttr({name.data: value for name, value in entries})


def sorted_entries(attribute: DictionaryAttr) -> list[tuple[StringAttr, Attribute]]:
    """The entries, sorted by name, as MLIR keeps them."""
    return [(StringAttr(name), value) for name, value in sorted(attribute.data.items())]


@shared
def symbol(root: StringAttr, nested: Sequence[Attribute] = ()) -> SymbolRefAttr:
    names = [part.root_reference for part in nested if isinstance(part, SymbolRefAttr)]
    return SymbolRefAttr(root, ArrayAttr(names))


ARRAY_ELEMENTS = (IntegerType, Float16Type, BFloat16Type, Float32Type, Float64Type)


def _dense_array(element: IntegerType | AnyFloat, size: int, data: bytes) -> DenseArrayBase:
    if element.__class__ not in ARRAY_ELEMENTS or element == IntegerType(0):
        raise BytecodeError(f"an array of '{element}' is not supported")
    if element == i1:
        data = bytes(0xFF if byte else 0 for byte in data)
    if len(data) != size * element.compile_time_size:
        raise BytecodeError(f"an array of {size} elements of type '{element}' has {len(data)} bytes")
    return new_attribute(DenseArrayBase, element, BytesAttr(data))


def _dense_array_parts(attribute: DenseArrayBase) -> tuple[Attribute, int, bytes]:
    data = attribute.data.data
    if attribute.elt_type == i1:
        data = bytes(byte & 1 for byte in data)
    return attribute.elt_type, len(attribute), data


def _resource(type: ShapedType, resource: Resource) -> Attribute:
    """`dense_resource<w>`, with its elements where the bytecode has them."""
    if resource.data is None:
        return DenseResourceAttr.from_params(resource.name, type)
    return elements_of(resource.name, type, resource.data)


def itself(type: Attribute) -> Attribute:
    """A type as an attribute: in xDSL, types are attributes."""
    return type


def of_type(attribute: Attribute) -> Sequence[Attribute] | None:
    return (attribute,) if isinstance(attribute, TypeAttribute) else None


# Types


@shared
def _integer_type(width_and_signedness: int) -> IntegerType:
    width, sign = divmod(width_and_signedness, 4)
    if width > MOST_BITS or sign == 3:
        raise BytecodeError(f"there is no integer type of {width} bits with signedness {sign}")
    return IntegerType(width, SIGNEDNESS[sign])


MOST_BITS = (1 << 24) - 1
SIGNEDNESS = (Signedness.SIGNLESS, Signedness.SIGNED, Signedness.UNSIGNED)
"""By their codes."""


@shared
def tensor(shape: Sequence[int], element: Attribute, encoding: Attribute = NO_ATTRIBUTE) -> TensorType:
    return TensorType(element, shape, encoding)


def encoded_tensor(encoding: Attribute, shape: Sequence[int], element: Attribute) -> TensorType:
    return tensor(shape, element, encoding)


def _layout(layout: Attribute, rank: int) -> Attribute:
    """MLIR writes out that elements are in order; xDSL has no layout then."""
    is_identity = getattr(layout, "data", None) == AffineMap.identity(rank)
    return NO_ATTRIBUTE if is_identity else layout


def _memref(shape: Sequence[int], element: Attribute, layout: Attribute, space: Attribute = NO_ATTRIBUTE) -> MemRefType:
    return MemRefType(element, shape, cast(Any, _layout(layout, len(shape))), space)


def _memref_in_space(space: Attribute, shape: Sequence[int], element: Attribute, layout: Attribute) -> MemRefType:
    return _memref(shape, element, layout, space)


def _memref_parts(type: MemRefType) -> tuple[Sequence[int], Attribute, Attribute]:
    layout = AffineMapAttr(AffineMap.identity(len(type.get_shape()))) if is_none(type.layout) else type.layout
    return shape_of(type), type.element_type, layout


def complex_type(element: IntegerType | AnyFloat) -> ComplexType:
    return ComplexType(element)


def unranked_tensor(element: Attribute) -> UnrankedTensorType:
    return UnrankedTensorType(element)


def element_of(type: ComplexType | UnrankedTensorType | UnrankedMemRefType) -> Sequence[Attribute]:
    """The element type alone."""
    return (type.element_type,)


def _unranked_memref(element: Attribute, space: Attribute = NO_ATTRIBUTE) -> UnrankedMemRefType:
    return UnrankedMemRefType.from_type(element, space)


def _unranked_memref_in_space(space: Attribute, element: Attribute) -> UnrankedMemRefType:
    return _unranked_memref(element, space)


def _vector(shape: Sequence[int], element: Attribute) -> VectorType:
    return VectorType(element, shape)


def _scalable(type: VectorType) -> list[bool]:
    return [bool(flag.value.data) for flag in type.scalable_dims]


def _scalable_vector(scalable: Sequence[bool], shape: Sequence[int], element: Attribute) -> VectorType:
    return VectorType(element, shape, ArrayAttr(map(IntegerAttr.from_bool, scalable)))


def function_type(inputs: Sequence[Attribute], outputs: Sequence[Attribute]) -> FunctionType:
    return new_attribute(FunctionType, ArrayAttr(inputs), ArrayAttr(outputs))


BUILTIN = DialectEncoding(
    attributes=Table(
        (
            Encoding(0, ArrayAttr, (ATTRIBUTES,), array, lambda a: (a.data,)),
            Encoding(
                1, DictionaryAttr, (listed(together(NAME, ATTRIBUTE)),), dictionary, lambda a: (sorted_entries(a),)
            ),
            Encoding(2, StringAttr, (TEXT,), text_attribute, lambda a: (a.data,)),
            Encoding(2, BytesAttr, (TEXT,), text_attribute, lambda a: (a.data,)),
            Encoding(
                4, SymbolRefAttr, (NAME,), symbol, lambda a: None if a.nested_references.data else (a.root_reference,)
            ),
            Encoding(
                5,
                SymbolRefAttr,
                (NAME, ATTRIBUTES),
                symbol,
                lambda a: (a.root_reference, [SymbolRefAttr(name) for name in a.nested_references]),
            ),
            Encoding(6, TypeAttribute, (TYPE,), itself, of_type),
            Encoding(7, UnitAttr, (), UnitAttr, lambda a: ()),
            Encoding(8, IntegerAttr, (INTEGER,), integer_of, integer_parts),
            Encoding(9, FloatAttr, (FLOAT,), float_of, float_parts),
            *LOCATIONS,
            Encoding(16, DenseResourceAttr, (TYPE, RESOURCE), _resource, lambda a: (a.type, a.resource_handle.data)),
            Encoding(17, DenseArrayBase, (TYPE, VARINT, BLOB), _dense_array, _dense_array_parts),
            Encoding(18, DenseIntOrFPElementsAttr, (TYPE, BLOB), dense_of, lambda a: (a.type, dense_bytes(a))),
            *LAYOUTS,
        )
    ),
    types=Table(
        (
            Encoding(
                0,
                IntegerType,
                (VARINT,),
                _integer_type,
                lambda t: (t.width.data << 2 | SIGNEDNESS.index(t.signedness.data),),
            ),
            Encoding(2, FunctionType, (TYPES, TYPES), function_type, lambda t: (t.inputs.data, t.outputs.data)),
            *constants(
                {
                    1: IndexType(),
                    3: BFloat16Type(),
                    4: Float16Type(),
                    5: Float32Type(),
                    6: Float64Type(),
                    7: Float80Type(),
                    8: Float128Type(),
                    12: NoneType(),
                    21: FloatTF32Type(),
                    22: Float8E5M2Type(),
                    23: Float8E4M3Type(),
                    24: Float8E4M3FNType(),
                    25: Float8E5M2FNUZType(),
                    26: Float8E4M3FNUZType(),
                    27: Float8E4M3B11FNUZType(),
                    28: Float8E3M4Type(),
                    29: Float4E2M1FNType(),
                    30: Float6E2M3FNType(),
                    31: Float6E3M2FNType(),
                    32: Float8E8M0FNUType(),
                }
            ),
            Encoding(9, ComplexType, (TYPE,), complex_type, element_of),
            Encoding(
                10,
                MemRefType,
                (SHAPE, TYPE, ATTRIBUTE),
                _memref,
                lambda t: _memref_parts(t) if is_none(t.memory_space) else None,
            ),
            Encoding(
                11,
                MemRefType,
                (ATTRIBUTE, SHAPE, TYPE, ATTRIBUTE),
                _memref_in_space,
                lambda t: (t.memory_space, *_memref_parts(t)),
            ),
            Encoding(
                13,
                TensorType,
                (SHAPE, TYPE),
                tensor,
                lambda t: (shape_of(t), t.element_type) if is_none(t.encoding) else None,
            ),
            Encoding(
                14,
                TensorType,
                (ATTRIBUTE, SHAPE, TYPE),
                encoded_tensor,
                lambda t: (t.encoding, shape_of(t), t.element_type),
            ),
            Encoding(15, TupleType, (TYPES,), TupleType, lambda t: (t.types.data,)),
            Encoding(
                16,
                UnrankedMemRefType,
                (TYPE,),
                _unranked_memref,
                lambda t: (t.element_type,) if is_none(t.memory_space) else None,
            ),
            Encoding(
                17,
                UnrankedMemRefType,
                (ATTRIBUTE, TYPE),
                _unranked_memref_in_space,
                lambda t: (t.memory_space, t.element_type),
            ),
            Encoding(18, UnrankedTensorType, (TYPE,), unranked_tensor, element_of),
            Encoding(
                19,
                VectorType,
                (SHAPE, TYPE),
                _vector,
                lambda t: None if any(_scalable(t)) else (shape_of(t), t.element_type),
            ),
            Encoding(
                20,
                VectorType,
                (listed(BOOL), SHAPE, TYPE),
                _scalable_vector,
                lambda t: (_scalable(t), shape_of(t), t.element_type),
            ),
        )
    ),
)
