"""Operations that exchange data with the host, or with one other device, and the tokens that order them."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, DenseIntOrFPElementsAttr, IntegerAttr, StringAttr, TensorType, i1
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    VerificationContext,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.constraints import WithoutTypeVariables
from xshardy.dialects.stablehlo.inference import InfersResultTypes
from xshardy.dialects.stablehlo.replica_groups import integer_table
from xshardy.dialects.stablehlo.structs import ChannelHandleAttr
from xshardy.dialects.stablehlo.types import PER_AXIS_TENSOR, STATIC_TENSOR_OR_TOKEN, TokenType

__all__ = ["ChannelType", "CreateTokenOp", "InfeedOp", "OutfeedOp", "RecvOp", "SendOp"]


@dataclass(frozen=True)
class IsToken(WithoutTypeVariables[TokenType]):
    """The type of tokens."""

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not isinstance(attr, TokenType):
            raise VerifyException(f"must be token, but got '{attr}'")


TOKEN = IsToken()
FALSE = IntegerAttr(0, i1)


class ChannelType(IntEnum):
    """The endpoints of a channel: the `type` of its handle."""

    DEVICE_TO_DEVICE = 1
    DEVICE_TO_HOST = 2
    HOST_TO_DEVICE = 3


@irdl_op_definition
class CreateTokenOp(InfersResultTypes):
    """A token that is ready from the start."""

    name = "stablehlo.create_token"
    output = result_def(TOKEN)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type(results)"

    def __init__(self):
        super().__init__(result_types=[TokenType()])

    def infer_result_types(self) -> Sequence[Attribute]:
        return [TokenType()]


def verify_received(op: IRDLOperation, all_but_last: str) -> None:
    """The results are tensors and behind them a token; `all_but_last` is what a diagnostic calls the tensors."""
    if not op.results:
        raise VerifyException("result is expected to be at least of size 1, but got 0")
    *data, token = op.result_types
    for type in data:
        if not isinstance(type, TensorType):
            raise VerifyException(f"{all_but_last} expected to be of tensor type, but got '{type}'")
    if not isinstance(token, TokenType):
        raise VerifyException(f"last element of result types is expected to be of token type, but got '{token}'")


@irdl_op_definition
class InfeedOp(IRDLOperation):
    """The tensors that the host has put into the queue for this device; `layout` has a list of dimensions for each."""

    name = "stablehlo.infeed"
    token = operand_def(TOKEN)
    infeed_config = prop_def(StringAttr, default_value=StringAttr(""))
    layout = opt_prop_def(ArrayAttr)
    received = var_result_def(STATIC_TENSOR_OR_TOKEN)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def verify_(self) -> None:
        verify_received(self, "all elements of result types, except the last element, are")
        if self.layout is None:
            return
        if len(self.layout) != (count := len(self.results) - 1):
            raise VerifyException(
                f"layout-attribute size must be {count} (which is the number of op-results - 1 (for token result)), "
                f"but got {len(self.layout)}"
            )
        for dimensions in self.layout:
            verify_layout(dimensions)


def verify_layout(layout: Attribute) -> None:
    """The layout of a tensor is a list of integers."""
    if not isinstance(layout, ArrayAttr):
        raise VerifyException(f"layout-attribute expected to have elements of type array, but got {layout}")
    for dimension in cast(ArrayAttr[Attribute], layout):
        if not isinstance(dimension, IntegerAttr):
            raise VerifyException(
                f"layout-attribute's leaf elements are expected to be of type integer, but got {dimension}"
            )


@irdl_op_definition
class OutfeedOp(InfersResultTypes):
    """Put tensors into the queue from which the host takes them."""

    name = "stablehlo.outfeed"
    inputs = var_operand_def(PER_AXIS_TENSOR)
    token = operand_def(TOKEN)
    outfeed_config = prop_def(StringAttr, default_value=StringAttr(""))
    result = result_def(TOKEN)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def infer_result_types(self) -> Sequence[Attribute]:
        return [TokenType()]


class ChannelOp(IRDLOperation):
    """
    One end of the channel `channel_handle`.

    The other end is the host if `is_host_transfer`, else a device; `source_target_pairs` may say which. Ids of devices.
    """

    channel_handle = prop_def(ChannelHandleAttr)
    is_host_transfer = opt_prop_def(BoolAttr, default_value=FALSE)
    source_target_pairs = opt_prop_def(DenseIntOrFPElementsAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def verify_channel(self, with_host: ChannelType) -> None:
        """The channel connects two devices or, if the transfer is one with the host, is of type `with_host`."""
        if self.source_target_pairs is not None:
            integer_table("source_target_pairs", self.source_target_pairs)
        is_with_host = bool(self.is_host_transfer.value.data)
        expected = with_host if is_with_host else ChannelType.DEVICE_TO_DEVICE
        if self.channel_handle.type.data != expected:
            raise VerifyException(
                f"channel_type should be {expected.name} when is_host_transfer is {str(is_with_host).lower()}"
            )


@irdl_op_definition
class SendOp(ChannelOp, InfersResultTypes):
    """Send tensors over a channel."""

    name = "stablehlo.send"
    inputs = var_operand_def(PER_AXIS_TENSOR)
    token = operand_def(TOKEN)
    result = result_def(TOKEN)

    def infer_result_types(self) -> Sequence[Attribute]:
        self.verify_channel(ChannelType.DEVICE_TO_HOST)
        return [TokenType()]


@irdl_op_definition
class RecvOp(ChannelOp):
    """The tensors that were sent over a channel."""

    name = "stablehlo.recv"
    token = operand_def(TOKEN)
    received = var_result_def(STATIC_TENSOR_OR_TOKEN)

    def verify_(self) -> None:
        self.verify_channel(ChannelType.HOST_TO_DEVICE)
        verify_received(self, "everything but the last element of result types is")
