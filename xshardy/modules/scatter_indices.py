"""The indices of scatters may have types that no other operation of StableHLO takes, and that no kernel reads."""

from xdsl.dialects.builtin import IndexType, IntegerType, Signedness

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.types import bit_width, tensor_type
from xshardy.transforms.failures import OperationFailedException


def check_indices(op: stablehlo.ScatterOp) -> None:
    """Raises `OperationFailedException` for indices of `si32` or `index`."""
    type = tensor_type(op.scatter_indices)
    element = type.element_type
    is_signed = isinstance(element, IntegerType) and element.signedness.data is Signedness.SIGNED
    if is_signed or isinstance(element, IndexType):
        made = f"make {element} i{bit_width(element)}"
        raise OperationFailedException(
            op, f"'{op.name}' op has indices of {type}, and kernels read integers without a sign: {made}"
        )
