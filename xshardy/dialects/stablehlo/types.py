"""
The element types of StableHLO, the tensors each op takes, and predicates on shapes for verifiers.

A dynamic dimension has size `DYNAMIC_INDEX`; two dimensions are compatible when they are equal or one is dynamic.
Source: StableHLO specification, "Types", and the type constraints of upstream's `Base.td`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Self, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyTensorType,
    ArrayAttr,
    ComplexType,
    Float6E2M3FNType,
    Float6E3M2FNType,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
    Signedness,
    TensorType,
    TupleType,
    UnrankedTensorType,
    i1,
    i32,
)
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import VerificationContext, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.constraints import WithoutTypeVariables
from xshardy.dialects.element_names import HLO_FLOATS
from xshardy.dialects.quant import UniformQuantizedType
from xshardy.dialects.shapes import is_static
from xshardy.dialects.stablehlo.attributes import BoundsAttr

__all__ = ["FutureType", "TokenType"]

UI32 = IntegerType(32, Signedness.UNSIGNED)
PRED = frozenset[Attribute]([i1])
SIGNED = frozenset[Attribute](IntegerType(width) for width in (2, 4, 8, 16, 32, 64))
UNSIGNED = frozenset[Attribute](IntegerType(width, Signedness.UNSIGNED) for width in (2, 4, 8, 16, 32, 64))
INTEGER = SIGNED | UNSIGNED
SIGNED_BY_NAME = frozenset(IntegerType(width, Signedness.SIGNED) for width in (2, 4, 8, 16, 32, 64))
"""`si32` and the like, the numbers of `i32`: only indices of a scatter have such types."""
FLOAT32_OR_64 = frozenset[Attribute]([Float32Type(), Float64Type()])
FLOAT = frozenset[Attribute]((*(kind() for kind in HLO_FLOATS), Float6E2M3FNType(), Float6E3M2FNType()))
COMPLEX = frozenset[Attribute]([ComplexType(Float32Type()), ComplexType(Float64Type())])
ANY_ELEMENT = PRED | INTEGER | FLOAT | COMPLEX

INTEGER_TEXT = "2/4/8/16/32/64-bit integer"
FLOAT_TEXT = "4/6/8/16/32/64-bit float"
COMPLEX_TEXT = "complex type with 32/64-bit float elements"
PRED_TEXT = "pred (AKA boolean or 1-bit integer)"
PER_TENSOR_TEXT = "per-tensor integer quantized"
PER_AXIS_TEXT = "per-axis integer quantized"

QUANTIZED_WIDTHS = frozenset((2, 4, 8, 16, 32))
"""The widths in bits of the integers that store quantized elements."""


@irdl_attr_definition
class TokenType(ParametrizedAttribute, TypeAttribute):
    """`!stablehlo.token`: no data, only an order between the operations that forward it."""

    name = "stablehlo.token"


@irdl_attr_definition
class FutureType(ParametrizedAttribute, TypeAttribute):
    """`!stablehlo.future<tensor<4xf32>>`: the results of an asynchronous operation, available when it is done."""

    name = "stablehlo.future"
    types: ArrayAttr[TypeAttribute]

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return [ArrayAttr(parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parser.parse_type))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list(self.types, printer.print_attribute)

    def verify(self) -> None:
        for type in self.types:
            if not isinstance(type, TensorType):
                raise VerifyException(f"future element type must be a ranked tensor, but got '{type}'")


TENSOR_TEXTS: Mapping[tuple[bool, bool], str] = {
    (False, False): "ranked tensor",
    (False, True): "{rank}D tensor",
    (True, False): "statically shaped tensor",
    (True, True): "statically shaped {rank}-dimensional tensor",
}
"""Upstream's term for a tensor with known sizes, or with known rank."""


@dataclass(frozen=True)
class TensorOf(WithoutTypeVariables[AnyTensorType]):
    """
    A tensor whose element type is in `elements`; `text` names them in diagnostics. It `is_ranked` by default.

    Its elements may also be quantized, with one scale for the tensor or, if `per_axis`, one for each index of an axis.
    """

    elements: frozenset[Attribute]
    text: str
    rank: int | None = None
    is_static: bool = False
    per_tensor: bool = False
    per_axis: bool = False
    is_ranked: bool = True

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        is_unranked = not self.is_ranked and isinstance(attr, UnrankedTensorType)
        if is_unranked and self.allows_elements(cast(UnrankedTensorType[Attribute], attr)):
            return
        if (
            not isinstance(attr, TensorType)
            or not self.allows(type := cast(AnyTensorType, attr))
            or (self.rank is not None and len(type.shape.data) != self.rank)
            or (self.is_static and not is_static(type))
        ):
            kind = TENSOR_TEXTS[self.is_static, self.rank is not None].format(rank=self.rank)
            kind = kind if self.is_ranked else "tensor"
            raise VerifyException(f"must be {kind} of {self.text} values, but got '{attr}'")
        verify_bounds(type)

    def allows(self, type: AnyTensorType) -> bool:
        """Whether the tensor `type` may have the elements it has."""
        element = type.element_type
        if element in self.elements:
            return True
        if not isinstance(element, UniformQuantizedType) or not is_valid_quantized(element):
            return False
        axis = element.quantized_dimension
        if axis is None:
            return self.per_tensor
        return (
            self.per_axis
            and axis < type.get_num_dims()
            and type.get_shape()[axis] in (DYNAMIC_INDEX, len(element.scales))
        )

    def allows_elements(self, type: UnrankedTensorType[Attribute]) -> bool:
        """Whether the tensor `type`, of which no dimension is known, may have the elements it has."""
        element = type.element_type
        if not isinstance(element, UniformQuantizedType):
            return element in self.elements
        return is_valid_quantized(element) and (
            self.per_tensor if element.quantized_dimension is None else self.per_axis
        )

    def or_unranked(self) -> Self:
        """The same, and tensors of which not even the rank is known."""
        return replace(self, is_ranked=False)

    def or_quantized(self) -> Self:
        """The same, and tensors with one scale for all elements."""
        return replace(self, per_tensor=True, text=_with_alternative(self.text, PER_TENSOR_TEXT))

    def or_per_axis_quantized(self) -> Self:
        """The same, and tensors with a scale for each index of an axis."""
        return replace(self, per_axis=True, text=_with_alternative(self.text, PER_AXIS_TEXT))

    def static(self) -> Self:
        """The same, and all sizes are known."""
        return replace(self, is_static=True)

    def of_rank(self, rank: int) -> Self:
        """The same, with `rank` dimensions."""
        return replace(self, rank=rank)


@dataclass(frozen=True)
class TensorOfAnyIntegers(TensorOf):
    """A tensor whose elements are integers of any width and signedness, or indices."""

    def allows(self, type: AnyTensorType) -> bool:
        return isinstance(type.element_type, IntegerType | IndexType)


def _with_alternative(text: str, alternative: str) -> str:
    return f"{text} or {alternative}" if text else alternative


def is_valid_quantized(element: UniformQuantizedType) -> bool:
    """Whether StableHLO has tensors of `element`: its width is one of a few, and it can store its zero points."""
    if element.storage.width.data not in QUANTIZED_WIDTHS or element.storage.signedness.data == Signedness.SIGNED:
        return False
    return all(element.lowest.data <= point.data <= element.highest.data for point in element.zero_points)


@dataclass(frozen=True)
class BoundedTensorOf(TensorOf):
    """A tensor whose shape is known, but perhaps for one dimension with a bound."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        super().verify(attr, constraint_context)
        type = tensor_type(attr)
        dynamic = [i for i, size in enumerate(type.get_shape()) if size == DYNAMIC_INDEX]
        if dynamic and (len(dynamic) > 1 or bounds_of(type)[dynamic[0]] == DYNAMIC_INDEX):
            raise VerifyException(
                f"must be statically shaped or single bounded dimension tensor of {self.text} values, but got '{attr}'"
            )


@dataclass(frozen=True)
class ValueOf(WithoutTypeVariables[Attribute]):
    """Anything that `tensor` allows, or else an instance of `others`; a tuple of such if TupleType is among these."""

    tensor: TensorOf
    others: tuple[type[Attribute], ...]

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if isinstance(attr, self.others):
            for element in attr.types if isinstance(attr, TupleType) else ():
                self.verify(element, constraint_context)
            return
        try:
            self.tensor.verify(attr, constraint_context)
        except VerifyException:
            texts = [f"ranked tensor of {self.tensor.text} values", *(VALUE_TEXTS[other] for other in self.others)]
            raise VerifyException(f"must be {' or '.join(texts)}, but got '{attr}'") from None


VALUE_TEXTS: Mapping[type[Attribute], str] = {
    TokenType: "token",
    TupleType: "nested tuple of these",
    MemRefType: "memref",
    UnrankedTensorType: "unranked tensor",
    FutureType: "future",
}

PLAIN_TENSOR = TensorOf(ANY_ELEMENT, f"{FLOAT_TEXT} or {PRED_TEXT} or {INTEGER_TEXT} or {COMPLEX_TEXT}")
TENSOR = PLAIN_TENSOR.or_quantized()
PER_AXIS_TENSOR = TENSOR.or_per_axis_quantized()
QUANTIZED_TENSOR = TensorOf(frozenset(), "").or_quantized().or_per_axis_quantized()
PRED_TENSOR = TensorOf(PRED, PRED_TEXT)
INTEGER_TENSOR = TensorOf(INTEGER, INTEGER_TEXT)
ANY_INTEGER_TENSOR = TensorOfAnyIntegers(frozenset(), "integer or index")
SCALAR_INTEGER = INTEGER_TENSOR.of_rank(0)
I32_TENSOR = TensorOf(frozenset([i32]), "32-bit signless integer")
U32_TENSOR = TensorOf(frozenset([UI32]), "32-bit unsigned integer")
PRED_OR_INTEGER_TENSOR = TensorOf(PRED | INTEGER, f"{PRED_TEXT} or {INTEGER_TEXT}")
PRED_INTEGER_OR_FLOAT_TENSOR = TensorOf(PRED | INTEGER | FLOAT, f"{PRED_TEXT} or {INTEGER_TEXT} or {FLOAT_TEXT}")
INTEGER_OR_FLOAT_TENSOR = TensorOf(INTEGER | FLOAT, f"{INTEGER_TEXT} or {FLOAT_TEXT}")
FLOAT_TENSOR = TensorOf(FLOAT, FLOAT_TEXT)
FLOAT_OR_QUANTIZED_TENSOR = FLOAT_TENSOR.or_quantized()
FLOAT32_OR_64_TENSOR = TensorOf(FLOAT32_OR_64, "32/64-bit float")
COMPLEX_TENSOR = TensorOf(COMPLEX, COMPLEX_TEXT)
FLOAT_OR_COMPLEX_TENSOR = TensorOf(FLOAT | COMPLEX, f"{FLOAT_TEXT} or {COMPLEX_TEXT}")
FLOAT_COMPLEX_OR_QUANTIZED_TENSOR = FLOAT_OR_COMPLEX_TENSOR.or_quantized()
SIGNED_FLOAT_COMPLEX_OR_QUANTIZED_TENSOR = TensorOf(
    SIGNED | FLOAT | COMPLEX, f"2/4/8/16/32/64-bit signless integer or {FLOAT_TEXT} or {COMPLEX_TEXT}"
).or_quantized()
SIGNED_FLOAT_OR_QUANTIZED_TENSOR = TensorOf(
    SIGNED | FLOAT, f"2/4/8/16/32/64-bit signless integer or {FLOAT_TEXT}"
).or_quantized()
NUMBER_TENSOR = TensorOf(INTEGER | FLOAT | COMPLEX, f"{INTEGER_TEXT} or {FLOAT_TEXT} or {COMPLEX_TEXT}").or_quantized()
BOUNDED_TENSOR = BoundedTensorOf(TENSOR.elements, TENSOR.text, per_tensor=True).or_per_axis_quantized()
STATIC_TENSOR = PER_AXIS_TENSOR.static()
STATIC_NUMBER_TENSOR = NUMBER_TENSOR.static()
DIMENSION_TENSOR = TensorOf(INTEGER | {IndexType()}, f"index or {INTEGER_TEXT}", rank=1)
STATIC_DIMENSION_TENSOR = DIMENSION_TENSOR.static()
TENSOR_OR_TOKEN = ValueOf(TENSOR, (TokenType,))
PER_AXIS_TENSOR_OR_TOKEN = ValueOf(PER_AXIS_TENSOR, (TokenType,))
STATIC_TENSOR_OR_TOKEN = ValueOf(STATIC_TENSOR, (TokenType,))
LOOP_VALUE = ValueOf(PER_AXIS_TENSOR, (TokenType, MemRefType))
COMPOSITE_VALUE = ValueOf(PER_AXIS_TENSOR, (TokenType, TupleType))
VALUE = ValueOf(PER_AXIS_TENSOR, (TokenType, TupleType, MemRefType))
"""The elements of tuples: tensors, tokens, buffers, and nested tuples."""
CALL_VALUE = ValueOf(PER_AXIS_TENSOR, (TokenType, TupleType, MemRefType, UnrankedTensorType, FutureType))


def tensor_type(value: SSAValue | Attribute) -> AnyTensorType:
    """The tensor type of `value`, or `value` itself if it is a type. Operand constraints must have been verified."""
    return cast(AnyTensorType, value.type if isinstance(value, SSAValue) else value)


def bounds_of(type: AnyTensorType) -> tuple[int, ...]:
    """The largest size of each dynamic dimension of `type`; `DYNAMIC_INDEX` where there is none."""
    if isinstance(type.encoding, BoundsAttr):
        return tuple(bound.data for bound in type.encoding.bounds)
    return (DYNAMIC_INDEX,) * type.get_num_dims()


def verify_bounds(type: AnyTensorType) -> None:
    """An encoding with bounds has one for each dimension of `type`, and none for a known size."""
    if isinstance(type.encoding, BoundsAttr):
        type.encoding.verify_encoding(type)


def is_compatible_dim(lhs: int, rhs: int) -> bool:
    """Whether two dimension sizes can be equal at run time."""
    return lhs == rhs or DYNAMIC_INDEX in (lhs, rhs)


def is_compatible_shape(lhs: Sequence[int], rhs: Sequence[int]) -> bool:
    """Whether two shapes can be equal at run time."""
    return lhs == rhs or (len(lhs) == len(rhs) and all(map(is_compatible_dim, lhs, rhs)))


def is_compatible_element(lhs: Attribute, rhs: Attribute) -> bool:
    """Whether two element types are equal or, if quantized, differ in scales and zero points at most."""
    if not isinstance(lhs, UniformQuantizedType) or not isinstance(rhs, UniformQuantizedType):
        return lhs == rhs
    return (lhs.storage, lhs.lowest, lhs.highest, lhs.expressed, lhs.quantized_dimension is None) == (
        (rhs.storage, rhs.lowest, rhs.highest, rhs.expressed, rhs.quantized_dimension is None)
    )


def is_within_bounds(type: AnyTensorType, other: AnyTensorType) -> bool:
    """Whether no size that `type` knows exceeds the bound that `other` has for it."""
    if not isinstance(other.encoding, BoundsAttr):
        return True
    bounds = zip(type.get_shape(), bounds_of(other), strict=True)
    return all(DYNAMIC_INDEX in (size, bound) or size <= bound for size, bound in bounds)


def is_compatible(lhs: Attribute, rhs: Attribute) -> bool:
    """Whether two types are equal, tensors of compatible elements and shapes within bounds, or tuples of such."""
    if lhs == rhs:
        return True
    if isinstance(lhs, TupleType) and isinstance(rhs, TupleType):
        return len(lhs.types) == len(rhs.types) and all(map(is_compatible, lhs.types, rhs.types))
    if not isinstance(lhs, TensorType | UnrankedTensorType) or not isinstance(rhs, TensorType | UnrankedTensorType):
        return False
    if isinstance(lhs, UnrankedTensorType) or isinstance(rhs, UnrankedTensorType):
        return is_compatible_element(lhs.element_type, rhs.element_type)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    lhs, rhs = cast(AnyTensorType, lhs), cast(AnyTensorType, rhs)
    return (
        is_compatible_element(lhs.element_type, rhs.element_type)
        and is_compatible_shape(lhs.get_shape(), rhs.get_shape())
        and is_within_bounds(lhs, rhs)
        and is_within_bounds(rhs, lhs)
    )


def are_all_compatible(lhs: Sequence[Attribute], rhs: Sequence[Attribute]) -> bool:
    """Whether two lists have as many types, each compatible with its partner."""
    return len(lhs) == len(rhs) and all(map(is_compatible, lhs, rhs))


def are_compatible(types: Iterable[Attribute]) -> bool:
    """Whether all of `types` are compatible with each other."""
    types = list(dict.fromkeys(types))
    return len(types) < 2 or all(is_compatible(lhs, rhs) for lhs, rhs in product(types, types))


def real_element(element: Attribute) -> Attribute:
    """`complex<f32>` -> `f32`; any other element type as it is."""
    return element.element_type if type(element) is ComplexType else element


def bit_width(element: Attribute) -> int:
    """The size of an element in bits; of a complex number, that of both its parts."""
    if (part := real_element(element)) != element:
        return 2 * bit_width(part)
    if type(element) is IndexType:
        return 64  # as numpy and kernels hold it
    return cast(IntegerType | Float32Type | UniformQuantizedType, element).bitwidth


def largest_integer(element: Attribute) -> int:
    """The largest value of an integer type."""
    type = cast(IntegerType, element)
    return (1 << (type.width.data - (type.signedness.data is not Signedness.UNSIGNED))) - 1


def whole_bytes(element: Attribute) -> int:
    """The bytes of an element that shares no byte with another, such as a predicate."""
    return -(-bit_width(element) // 8)
