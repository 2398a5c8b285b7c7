"""Ops that start at one place of a program and are done at another."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    base,
    irdl_op_definition,
    operand_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.collectives import (
    AllGatherOp,
    AllReduceOp,
    AllToAllOp,
    CollectiveBroadcastOp,
    CollectivePermuteOp,
    CollectiveReduceOp,
    ReduceScatterOp,
)
from xshardy.dialects.stablehlo.control_flow import returned_values
from xshardy.dialects.stablehlo.inference import InfersResultTypes
from xshardy.dialects.stablehlo.slicing import DynamicSliceOp, DynamicUpdateSliceOp, SliceOp
from xshardy.dialects.stablehlo.types import TENSOR, FutureType

__all__ = ["AsyncDoneOp", "AsyncStartOp"]

STARTABLE = (
    AllGatherOp,
    AllReduceOp,
    AllToAllOp,
    CollectiveBroadcastOp,
    CollectivePermuteOp,
    CollectiveReduceOp,
    DynamicSliceOp,
    DynamicUpdateSliceOp,
    ReduceScatterOp,
    SliceOp,
)
"""The operations that may be asynchronous: those that move data."""


def future_of(*types: Attribute) -> FutureType:
    """`!stablehlo.future<types>`"""
    return FutureType(ArrayAttr(types))  # pyright: ignore[reportArgumentType]


@irdl_op_definition
class AsyncStartOp(InfersResultTypes):
    """Start the only operation of `body`; the future represents its results."""

    name = "stablehlo.async_start"
    operands_ = var_operand_def(TENSOR)
    body = region_def("single_block")
    result = result_def(base(FutureType))
    traits = traits_def(IsolatedFromAbove())

    def __init__(self, operands: Sequence[SSAValue], body: Region):
        types = [value.type for value in returned_values(body)]
        super().__init__(operands=[operands], result_types=[future_of(*types)], regions=[body])

    def infer_result_types(self) -> Sequence[Attribute]:
        block = self.body.block
        operations = list(block.ops)
        if len(operations) != 2:
            raise VerifyException("region must contain exactly one operation and a return")
        if not isinstance(operations[0], STARTABLE):
            raise VerifyException("region must contain a collective or slice operation")
        if len(self.operands) != len(block.args):
            raise VerifyException(
                f"number of operands ({len(self.operands)}) must match number of region arguments ({len(block.args)})"
            )
        for i, (operand, argument) in enumerate(zip(self.operands, block.args, strict=True)):
            if operand.type != argument.type:
                raise VerifyException(
                    f"operand type '{operand.type}' at index {i} must match region argument type '{argument.type}'"
                )
        returned = returned_values(self.body)
        if len(returned) != 1:
            raise VerifyException(f"region must return exactly one value, but got {len(returned)}")
        return [future_of(returned[0].type)]


@irdl_op_definition
class AsyncDoneOp(InfersResultTypes):
    """Wait for a future; return the values that it represents."""

    name = "stablehlo.async_done"
    operand = operand_def(base(FutureType))
    result = result_def(TENSOR)

    def infer_result_types(self) -> Sequence[Attribute]:
        assert isinstance(self.operand.type, FutureType)
        types = self.operand.type.types.data
        if len(types) != 1:
            raise VerifyException(f"future must have exactly one type parameter, but got {len(types)}")
        return types
