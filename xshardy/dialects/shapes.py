"""The shape of a value or of a type, whatever its dialect."""

from xdsl.dialects.builtin import ShapedType
from xdsl.ir import Attribute, SSAValue


def shape_of(value: SSAValue | Attribute) -> tuple[int, ...]:
    """
    The sizes of a ranked tensor or a vector, or of its type, `DYNAMIC_INDEX` where one is not known.

    `()` for anything else: a scalar, a token, a tensor without a known rank.
    """
    type = value.type if isinstance(value, SSAValue) else value
    return type.get_shape() if isinstance(type, ShapedType) else ()
