"""The shape of a value or of a type, whatever its dialect."""

from typing_extensions import TypeIs
from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyTensorType, ShapedType, TensorType
from xdsl.ir import Attribute, SSAValue

_SHAPED = (TensorType, ShapedType)
"""The usual class first: Python tests it in a tenth of the time of an abstract class."""


def is_tensor(type: Attribute) -> TypeIs[AnyTensorType]:
    """Whether `type` is that of a ranked tensor. `isa(type, TensorType[Attribute])` builds a constraint each time."""
    return isinstance(type, TensorType)


def shape_of(value: SSAValue | Attribute) -> tuple[int, ...]:
    """
    The sizes of a ranked tensor or a vector, or of its type, `DYNAMIC_INDEX` where one is not known.

    `()` for anything else: a scalar, a token, a tensor without a known rank.
    """
    if isinstance(value, TensorType):  # first, as the usual type
        return value.get_shape()
    type = value.type if isinstance(value, SSAValue) else value
    return type.get_shape() if isinstance(type, _SHAPED) else ()


def rank_of(value: SSAValue) -> int:
    """The number of dimensions of a ranked tensor or a vector; 0 for anything else."""
    return type.get_num_dims() if isinstance(type := value.type, _SHAPED) else 0


def is_scalar(value: SSAValue) -> bool:
    """Whether `value` is a tensor or a vector without dimensions."""
    return isinstance(type := value.type, _SHAPED) and not type.get_num_dims()


def is_static(type: AnyTensorType) -> bool:
    """Whether every dimension of `type` has a known size."""
    return DYNAMIC_INDEX not in type.get_shape()


def has_static_shape(value: SSAValue) -> bool:
    """Whether `value` is a tensor or a vector with a known size in each dimension."""
    return isinstance(type := value.type, _SHAPED) and type.has_static_shape()
