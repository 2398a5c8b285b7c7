"""
How much code an operation of a kernel becomes, which limits the unrolling of loops.

After the estimate of XLA's loop unrolling for GPUs (XGPU-36).
"""

from collections.abc import Mapping

from xdsl.dialects import func, math, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation

LONG = 20
"""The size of a function of floats that is not in the table."""

SIZES: Mapping[type[Operation], int | None] = {
    **dict.fromkeys(
        (
            func.CallOp,
            math.AcosOp,
            math.AcoshOp,
            math.AsinOp,
            math.AsinhOp,
            math.AtanhOp,
            math.SinhOp,
            scf.ForOp,
            scf.WhileOp,
        ),
        None,
    ),
    **dict.fromkeys(
        (
            math.AbsFOp,
            math.CeilOp,
            math.CopySignOp,
            math.FloorOp,
            math.FmaOp,
            math.RoundEvenOp,
            math.RoundOp,
            math.RsqrtOp,
            math.SqrtOp,
            math.TruncOp,
        ),
        1,
    ),
}
"""The size of an operation in the code of one number; None for one that is never cloned."""


def code_size(op: Operation) -> int | None:
    """The size of `op`: 1 for most operations, None for one that should not be cloned."""
    if (kind := type(op)) in SIZES:
        return SIZES[kind]
    is_function_of_floats = op.dialect_name() == "math" and op.results
    return LONG if is_function_of_floats and not isinstance(op.results[0].type, IntegerType | IndexType) else 1
