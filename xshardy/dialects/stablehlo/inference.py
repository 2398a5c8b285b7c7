"""Ops whose result types follow from their operands and attributes, and the two type rules that most of them have."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.types import are_compatible, is_compatible, tensor_type


class InfersResultTypes(IRDLOperation, ABC):
    """An op whose result types follow from the rest of it."""

    @abstractmethod
    def infer_result_types(self) -> Sequence[Attribute]:
        """The result types. Raises `VerifyException` when the op has no meaning, whatever its results."""

    def verify_(self) -> None:
        inferred = self.infer_result_types()
        if len(inferred) != len(self.results) or not all(map(is_compatible, inferred, self.result_types)):
            raise VerifyException(
                f"inferred type(s) {type_list(inferred)} are incompatible with return type(s) of operation "
                f"{type_list(self.result_types)}"
            )


def type_list(types: Sequence[Attribute]) -> str:
    """`'tensor<f32>', 'tensor<i32>'`"""
    return ", ".join(f"'{type}'" for type in types)


def require_same_types(op: IRDLOperation) -> None:
    """All operands and results of `op` have compatible types."""
    if not are_compatible((*op.operand_types, *op.result_types)):
        raise VerifyException(
            "requires compatible types for all operands and results, but got "
            f"{type_list(op.operand_types)} and {type_list(op.result_types)}"
        )


def require_same_element_types(values: Sequence[SSAValue], what: str = "all operands and results") -> None:
    """The tensors `values` have one element type."""
    if len({tensor_type(value).element_type for value in values}) > 1:
        raise VerifyException(
            f"requires compatible element types for {what}, but got {type_list([v.type for v in values])}"
        )


def with_element_type(value: SSAValue, element_type: Attribute) -> TensorType[Attribute]:
    """The type of the tensor `value`, with another element type."""
    type = tensor_type(value)
    return TensorType(element_type, type.shape, type.encoding)
