"""The shapes of values that may be sharded."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ShapedType
from xdsl.ir import SSAValue


def shape_of(value: SSAValue) -> Sequence[int]:
    """The shape of `value`, in elements; `()` if it is not a tensor."""
    return value.type.get_shape() if isinstance(value.type, ShapedType) else ()


def rank_of(value: SSAValue) -> int:
    """The number of dimensions of `value`; 0 if it is not a tensor."""
    return len(shape_of(value))


def has_static_shape(value: SSAValue) -> bool:
    """Whether `value` is a tensor with a known size in each dimension: tokens and dynamic tensors are not sharded."""
    return isinstance(value.type, ShapedType) and value.type.has_static_shape()
