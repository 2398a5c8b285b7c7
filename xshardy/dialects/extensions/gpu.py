"""What upstream's `gpu` dialect has and xDSL's lacks."""

from typing import ClassVar

from xdsl.dialects import gpu
from xdsl.dialects.builtin import I32, AnyFloatConstr, IntegerType, VectorType, i1
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Dialect, Operation, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
)
from xdsl.traits import Pure
from xdsl.utils.str_enum import StrEnum

from xshardy.dialects.extensions import extended


class ShuffleMode(StrEnum):
    """From which lane a lane reads: with `offset` combined by exclusive or, subtracted, added, or as an index."""

    Xor = "xor"
    Up = "up"
    Down = "down"
    Idx = "idx"


@irdl_attr_definition
class ShuffleModeAttr(EnumAttribute[ShuffleMode], SpacedOpaqueSyntaxAttribute):
    """`#gpu<shuffle_mode down>`: how lanes are paired."""

    name = "gpu.shuffle_mode"


@irdl_op_definition
class ShuffleOp(IRDLOperation):
    """
    The value that another lane of the subgroup has, and whether there is such a lane.

    `width` lanes, a power of two, shuffle among themselves.
    """

    name = "gpu.shuffle"
    T: ClassVar = VarConstraint("T", base(IntegerType) | base(VectorType) | AnyFloatConstr)
    value = operand_def(T)
    offset = operand_def(I32)
    width = operand_def(I32)
    mode = prop_def(ShuffleModeAttr)
    shuffle_result = result_def(T)
    valid = result_def(i1)

    def __init__(
        self,
        value: SSAValue | Operation,
        offset: SSAValue | Operation,
        width: SSAValue | Operation,
        mode: ShuffleMode | str,
    ):
        super().__init__(
            operands=[value, offset, width],
            properties={"mode": ShuffleModeAttr(ShuffleMode(mode))},
            result_types=[SSAValue.get(value).type, i1],
        )


_INDICES = (
    gpu.BlockDimOp,
    gpu.BlockIdOp,
    gpu.GlobalIdOp,
    gpu.GridDimOp,
    gpu.LaneIdOp,
    gpu.NumSubgroupsOp,
    gpu.SubgroupIdOp,
    gpu.SubgroupSizeOp,
    gpu.ThreadIdOp,
)
"""Operations that a thread gets the same answer from whenever it asks."""


def extend(dialect: Dialect) -> Dialect:
    """`dialect` with the operations and traits of this module."""
    return extended(dialect, (ShuffleOp,), (ShuffleModeAttr,), {Pure(): _INDICES})
