"""The shape of a value or of a type, whatever its dialect."""

from xdsl.dialects.builtin import ShapedType, TensorType
from xdsl.ir import Attribute, SSAValue


def shape_of(value: SSAValue | Attribute) -> tuple[int, ...]:
    """
    The sizes of a ranked tensor or a vector, or of its type, `DYNAMIC_INDEX` where one is not known.

    `()` for anything else: a scalar, a token, a tensor without a known rank.
    """
    type = value.type if isinstance(value, SSAValue) else value
    return type.get_shape() if isinstance(type, ShapedType) else ()


def rank_of(value: SSAValue) -> int:
    """The number of dimensions of a ranked tensor or a vector; 0 for anything else."""
    type = value.type
    # The test for the usual class is ten times as fast as that for the abstract one.
    return type.get_num_dims() if isinstance(type, TensorType) else len(shape_of(type))


def has_static_shape(value: SSAValue) -> bool:
    """Whether `value` is a tensor or a vector with a known size in each dimension."""
    return isinstance(value.type, ShapedType) and value.type.has_static_shape()
