"""
The element types of StableHLO, the tensors each op takes, and the questions that verifiers ask about shapes.

A dynamic dimension has size `DYNAMIC_INDEX`; two dimensions are compatible when they are equal or one is dynamic.
Source: StableHLO specification, "Types", and the type constraints of upstream's `Base.td`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import cast

from typing_extensions import TypeVar
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyTensorType,
    BFloat16Type,
    ComplexType,
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
    IntegerType,
    Signedness,
    TensorType,
    TupleType,
    i1,
)
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import AttrConstraint, IntConstraint, VerificationContext, irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.attributes import BoundsAttr

PRED = frozenset[Attribute]([i1])
SIGNED = frozenset[Attribute](IntegerType(width) for width in (2, 4, 8, 16, 32, 64))
UNSIGNED = frozenset[Attribute](IntegerType(width, Signedness.UNSIGNED) for width in (2, 4, 8, 16, 32, 64))
INTEGER = SIGNED | UNSIGNED
FLOAT32_OR_64 = frozenset[Attribute]([Float32Type(), Float64Type()])
FLOAT = FLOAT32_OR_64 | {
    Float4E2M1FNType(),
    Float6E2M3FNType(),
    Float6E3M2FNType(),
    Float8E3M4Type(),
    Float8E4M3Type(),
    Float8E4M3FNType(),
    Float8E4M3FNUZType(),
    Float8E4M3B11FNUZType(),
    Float8E5M2Type(),
    Float8E5M2FNUZType(),
    Float8E8M0FNUType(),
    BFloat16Type(),
    Float16Type(),
}
COMPLEX = frozenset[Attribute]([ComplexType(Float32Type()), ComplexType(Float64Type())])
ANY_ELEMENT = PRED | INTEGER | FLOAT | COMPLEX

INTEGER_TEXT = "2/4/8/16/32/64-bit integer"
FLOAT_TEXT = "4/6/8/16/32/64-bit float"
COMPLEX_TEXT = "complex type with 32/64-bit float elements"
PRED_TEXT = "pred (AKA boolean or 1-bit integer)"


@irdl_attr_definition
class TokenType(ParametrizedAttribute, TypeAttribute):
    """`!stablehlo.token`: no data, only an order between the operations that pass it on."""

    name = "stablehlo.token"


@dataclass(frozen=True)
class TensorOf(AttrConstraint[AnyTensorType]):
    """A ranked tensor whose element type is in `elements`; `text` is what a diagnostic calls them."""

    elements: frozenset[Attribute]
    text: str
    rank: int | None = None
    is_static: bool = False

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if (
            not isinstance(attr, TensorType)
            or (type := cast(AnyTensorType, attr)).element_type not in self.elements
            or (self.rank is not None and len(type.shape.data) != self.rank)
            or (self.is_static and not is_static(type))
        ):
            kind = "ranked" if self.rank is None else f"{self.rank}D"
            kind = f"statically shaped {kind}" if self.is_static else kind
            raise VerifyException(f"must be {kind} tensor of {self.text} values, but got '{attr}'")

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, "AttrConstraint | IntConstraint"]
    ) -> AttrConstraint[AnyTensorType]:
        return self


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
class ValueOf(AttrConstraint[Attribute]):
    """What can travel in a tuple: a tensor, a token, or again a tuple."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not isinstance(attr, TensorType | TupleType | TokenType):
            raise VerifyException(f"must be a ranked tensor, a token or a tuple of these, but got '{attr}'")

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, "AttrConstraint | IntConstraint"]
    ) -> AttrConstraint[Attribute]:
        return self


TENSOR = TensorOf(ANY_ELEMENT, f"{FLOAT_TEXT} or {PRED_TEXT} or {INTEGER_TEXT} or {COMPLEX_TEXT}")
PRED_TENSOR = TensorOf(PRED, PRED_TEXT)
INTEGER_TENSOR = TensorOf(INTEGER, INTEGER_TEXT)
SCALAR_INTEGER = TensorOf(INTEGER, INTEGER_TEXT, rank=0)
PRED_OR_INTEGER_TENSOR = TensorOf(PRED | INTEGER, f"{PRED_TEXT} or {INTEGER_TEXT}")
FLOAT_TENSOR = TensorOf(FLOAT, FLOAT_TEXT)
FLOAT32_OR_64_TENSOR = TensorOf(FLOAT32_OR_64, "32/64-bit float")
COMPLEX_TENSOR = TensorOf(COMPLEX, COMPLEX_TEXT)
FLOAT_OR_COMPLEX_TENSOR = TensorOf(FLOAT | COMPLEX, f"{FLOAT_TEXT} or {COMPLEX_TEXT}")
SIGNED_FLOAT_OR_COMPLEX_TENSOR = TensorOf(
    SIGNED | FLOAT | COMPLEX, f"2/4/8/16/32/64-bit signless integer or {FLOAT_TEXT} or {COMPLEX_TEXT}"
)
SIGNED_OR_FLOAT_TENSOR = TensorOf(SIGNED | FLOAT, f"2/4/8/16/32/64-bit signless integer or {FLOAT_TEXT}")
NUMBER_TENSOR = TensorOf(INTEGER | FLOAT | COMPLEX, f"{INTEGER_TEXT} or {FLOAT_TEXT} or {COMPLEX_TEXT}")
BOUNDED_TENSOR = BoundedTensorOf(TENSOR.elements, TENSOR.text)
STATIC_TENSOR = TensorOf(TENSOR.elements, TENSOR.text, is_static=True)
STATIC_NUMBER_TENSOR = TensorOf(NUMBER_TENSOR.elements, NUMBER_TENSOR.text, is_static=True)


def tensor_type(value: SSAValue | Attribute) -> AnyTensorType:
    """The tensor type of `value`, or `value` itself if it is a type. Operand constraints must have been verified."""
    return cast(AnyTensorType, value.type if isinstance(value, SSAValue) else value)


def is_static(type: AnyTensorType) -> bool:
    """Whether every dimension of `type` has a known size."""
    return DYNAMIC_INDEX not in type.get_shape()


def bounds_of(type: AnyTensorType) -> tuple[int, ...]:
    """The largest size of each dynamic dimension of `type`; `DYNAMIC_INDEX` where there is none."""
    if isinstance(type.encoding, BoundsAttr):
        return tuple(bound.data for bound in type.encoding.bounds)
    return (DYNAMIC_INDEX,) * type.get_num_dims()


def is_compatible_dim(lhs: int, rhs: int) -> bool:
    """Whether two dimension sizes can be equal at run time."""
    return lhs == rhs or DYNAMIC_INDEX in (lhs, rhs)


def is_compatible_shape(lhs: Sequence[int], rhs: Sequence[int]) -> bool:
    """Whether two shapes can be equal at run time."""
    return lhs == rhs or (len(lhs) == len(rhs) and all(map(is_compatible_dim, lhs, rhs)))


def is_compatible(lhs: Attribute, rhs: Attribute) -> bool:
    """Whether two types are equal, tensors of one element type and compatible shapes, or tuples of such."""
    if lhs == rhs:
        return True
    if isinstance(lhs, TupleType) and isinstance(rhs, TupleType):
        return len(lhs.types) == len(rhs.types) and all(map(is_compatible, lhs.types, rhs.types))
    if not isinstance(lhs, TensorType) or not isinstance(rhs, TensorType):
        return False
    lhs, rhs = cast(AnyTensorType, lhs), cast(AnyTensorType, rhs)
    return lhs.element_type == rhs.element_type and is_compatible_shape(lhs.get_shape(), rhs.get_shape())


def are_compatible(types: Iterable[Attribute]) -> bool:
    """Whether all of `types` are compatible with each other."""
    types = list(dict.fromkeys(types))
    return len(types) < 2 or all(is_compatible(lhs, rhs) for lhs, rhs in product(types, types))


def real_element(element: Attribute) -> Attribute:
    """`complex<f32>` -> `f32`; any other element type as it is."""
    return cast(ComplexType, element).element_type if isinstance(element, ComplexType) else element


def bit_width(element: Attribute) -> int:
    """The size of an element in bits; of a complex number, that of both its parts."""
    if (part := real_element(element)) != element:
        return 2 * bit_width(part)
    return cast(IntegerType | Float32Type, element).bitwidth
