"""What upstream's `gpu` dialect has and xDSL's lacks."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from xdsl.dialects import gpu
from xdsl.dialects.builtin import I32, AnyFloatConstr, IndexType, IntegerType, VectorType, i1
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Dialect, Operation, SpacedOpaqueSyntaxAttribute, SSAValue
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
from xdsl.parser import Parser
from xdsl.utils.str_enum import StrEnum

from xshardy.dialects.extensions import extended
from xshardy.dialects.extensions.refined import Refined


class ShuffleMode(StrEnum):
    """The lane that a lane reads: its number xor, minus or plus `offset`, or `offset` itself."""

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
    assembly_format = "$mode $value `,` $offset `,` $width attr-dict `:` type($value)"

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


class _OperationOfDimension(Refined):
    """The base of parsers for `gpu.thread_id x`. xDSL parses these operations only in the generic form."""

    @classmethod
    def is_original(cls, operands: Sequence[SSAValue], properties: Mapping[str, Attribute | None]) -> bool:
        return True

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        dimension = gpu.DimensionAttr(parser.parse_str_enum(gpu.DimensionEnum))
        attributes = parser.parse_optional_attr_dict()
        return cls.build(properties={"dimension": dimension}, attributes=attributes, result_types=[IndexType()])


class BlockDimOp(_OperationOfDimension, gpu.BlockDimOp):
    """`gpu.block_dim x`: how many threads a block has."""

    original = gpu.BlockDimOp


class BlockIdOp(_OperationOfDimension, gpu.BlockIdOp):
    """`gpu.block_id x`: the place of the block in the grid."""

    original = gpu.BlockIdOp


class GlobalIdOp(_OperationOfDimension, gpu.GlobalIdOp):
    """`gpu.global_id x`: the place of the thread in the grid."""

    original = gpu.GlobalIdOp


class GridDimOp(_OperationOfDimension, gpu.GridDimOp):
    """`gpu.grid_dim x`: how many blocks the grid has."""

    original = gpu.GridDimOp


class ThreadIdOp(_OperationOfDimension, gpu.ThreadIdOp):
    """`gpu.thread_id x`: the place of the thread in its block."""

    original = gpu.ThreadIdOp


READERS = (BlockDimOp, BlockIdOp, GlobalIdOp, GridDimOp, ThreadIdOp)
"""Classes that parse the custom text of xDSL's operations. They create operations of xDSL's classes."""


def extend(dialect: Dialect) -> Dialect:
    """`dialect` with the operation, the attribute and the texts of this module."""
    return extended(dialect, (ShuffleOp,), (ShuffleModeAttr,), READERS)
