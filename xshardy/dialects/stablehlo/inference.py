"""Ops whose result types follow from their operands and attributes, and the two most frequent type rules."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.attributes import BoundsAttr
from xshardy.dialects.stablehlo.types import (
    are_all_compatible,
    are_compatible,
    bounds_of,
    is_compatible_element,
    is_compatible_shape,
    tensor_type,
)


class InfersResultTypes(IRDLOperation, ABC):
    """An op whose result types follow from its operands, attributes and regions."""

    @abstractmethod
    def infer_result_types(self) -> Sequence[Attribute]:
        """The result types. Raises `VerifyException` if the op is invalid for every result type."""

    def verify_(self) -> None:
        verify_results(self, self.infer_result_types())


def verify_results(op: IRDLOperation, inferred: Sequence[Attribute]) -> None:
    """The results of `op` have the types that follow from the rest of it."""
    if not are_all_compatible(inferred, op.result_types):
        raise VerifyException(
            f"inferred type(s) {type_list(inferred)} are incompatible with return type(s) of operation "
            f"{type_list(op.result_types)}"
        )


def type_list(types: Sequence[Attribute]) -> str:
    """`'tensor<f32>', 'tensor<i32>'`"""
    return ", ".join(f"'{type}'" for type in types)


def shape_text(shape: Sequence[int]) -> str:
    """`[2, ?]` for a shape with a dynamic dimension."""
    return f"[{', '.join('?' if size == DYNAMIC_INDEX else str(size) for size in shape)}]"


def require_same_shape(op: IRDLOperation) -> None:
    """All operands and results of `op` that are ranked tensors have compatible shapes."""
    ranked = (value for value in (*op.operands, *op.results) if isinstance(value.type, TensorType))
    shapes = [tensor_type(value).get_shape() for value in ranked]
    if not all(is_compatible_shape(shape, other) for shape in set(shapes) for other in set(shapes)):
        raise VerifyException("requires the same shape for all operands and results")


def require_same_types(op: IRDLOperation) -> None:
    """All operands and results of `op` have compatible types."""
    require_same_shape(op)
    if not are_compatible(op.operand_types):
        raise VerifyException(
            "requires compatible types for all operands and results, but got "
            f"{type_list(op.operand_types)} and {type_list(op.result_types)}"
        )
    verify_results(op, op.operand_types[:1])


def require_same_element_types(values: Sequence[SSAValue], what: str = "all operands and results") -> None:
    """The tensors `values` have one element type."""
    if len({tensor_type(value).element_type for value in values}) > 1:
        raise VerifyException(
            f"requires compatible element types for {what}, but got {type_list([v.type for v in values])}"
        )


def require_compatible_elements(*values: SSAValue) -> None:
    """The tensors `values` have one element type; if quantized, perhaps with different scales and zero points."""
    elements = [tensor_type(value).element_type for value in values]
    if not all(is_compatible_element(element, elements[0]) for element in elements):
        raise VerifyException(
            "requires compatible element types for all operands and results, but got "
            f"{type_list([value.type for value in values])}"
        )


def with_element_type(
    value: SSAValue, element_type: Attribute
) -> TensorType[Attribute] | UnrankedTensorType[Attribute]:
    """The type of the tensor `value`, with another element type."""
    if isinstance(value.type, UnrankedTensorType):
        return UnrankedTensorType(element_type)
    type = tensor_type(value)
    return TensorType(element_type, type.shape, type.encoding)


def bounded(element_type: Attribute, shape: Sequence[int], bounds: Sequence[int]) -> TensorType[Attribute]:
    """A tensor type; without an encoding when no dimension has a bound."""
    if all(bound == DYNAMIC_INDEX for bound in bounds):
        return TensorType(element_type, shape)
    return TensorType(element_type, shape, BoundsAttr.of(bounds))


def least_specific_type(types: Sequence[Attribute]) -> Attribute:
    """
    The type of a value that has one of the compatible `types`: a dimension with different sizes is dynamic.

    Such a dimension has a bound if it is known, or bounded, in all of them: the largest.
    """
    if all(type == types[0] for type in types) or not isinstance(types[0], TensorType):
        return types[0]  # pyright: ignore[reportUnknownVariableType]
    tensors = [tensor_type(type) for type in types]
    shape: list[int] = []
    bounds: list[int] = []
    shapes, limits = [type.get_shape() for type in tensors], [bounds_of(type) for type in tensors]
    for dimension, first in enumerate(shapes[0]):
        sizes = [shape[dimension] for shape in shapes]
        if DYNAMIC_INDEX not in sizes:
            shape.append(first)
            bounds.append(DYNAMIC_INDEX)
            continue
        largest = [
            limit[dimension] if size == DYNAMIC_INDEX else size for size, limit in zip(sizes, limits, strict=True)
        ]
        shape.append(DYNAMIC_INDEX)
        bounds.append(DYNAMIC_INDEX if DYNAMIC_INDEX in largest else max(largest))
    return bounded(tensors[0].element_type, shape, bounds)
