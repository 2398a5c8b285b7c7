"""Opcodes that communicate with the host: infeed and outfeed."""

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import IntAttr, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.structs import ChannelHandleAttr
from xshardy.dialects.stablehlo.types import TokenType
from xshardy.hlo_text.codecs import STRING, Fields, boolean
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.opcode import Form, Opcode, Operands, Regions, described, prop, row

DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE = 1, 2, 3
"""The types of channels."""
NO_CHANNEL = "hlo.no_channel"
"""The value for a transfer without a channel; StableHLO requires one."""


def has_layout(op: stablehlo.InfeedOp) -> bool:
    """Whether `op` has the layout of its results as a property. HLO text has it in the shape."""
    return op.layout is not None


def unpacked_data(instruction: Instruction) -> Sequence[SSAValue]:
    """The arrays, which may be in a tuple, and the token."""
    *data, token = instruction.operands
    if len(data) != 1 or not isinstance(token.type, TokenType):
        raise instruction.error("takes an array or a tuple, and a token")
    return [*instruction.unpack(data[0]), token]


def packed_data(op: stablehlo.OutfeedOp, regions: Regions) -> Operands:
    """The inverse of `unpacked_data`."""
    *data, token = op.operands
    return [regions.tuple_of(data), token]


def transfer(op: type[Operation], host_channel: int) -> Callable[[Instruction], Operation]:
    """A builder of synchronous `send` and `recv`, which HLO lacks: its opcodes are the starts."""

    def build(instruction: Instruction) -> Operation:
        fields = instruction.fields
        is_host = fields.get("is_host_transfer", False)
        channel_type = host_channel if is_host else DEVICE_TO_DEVICE
        properties: dict[str, Attribute] = {
            "channel_handle": ChannelHandleAttr(IntAttr(fields.get("channel_id", 0)), IntAttr(channel_type)),
            "is_host_transfer": boolean(is_host),
        }
        return op.create(
            operands=instruction.operands,
            result_types=instruction.result_types,
            properties=properties,
            attributes={} if "channel_id" in fields else {NO_CHANNEL: UnitAttr()},
        )

    return build


def transfer_fields(op: stablehlo.SendOp | stablehlo.RecvOp, regions: Regions) -> Fields:
    """`channel_id=1, is_host_transfer=true`"""
    fields: Fields = {}
    if NO_CHANNEL not in op.attributes:
        fields["channel_id"] = op.channel_handle.handle.data
    if op.is_host_transfer.value.data:
        fields["is_host_transfer"] = True
    return fields


ROWS: Mapping[str, Opcode] = {
    "infeed": described(stablehlo.InfeedOp, 1, prop("infeed_config", STRING, default=""), needs_rewrite=has_layout),
    "recv": row(
        transfer(stablehlo.RecvOp, HOST_TO_DEVICE),
        1,
        "",
        "channel_id is_host_transfer",
        forms=[Form(stablehlo.RecvOp, transfer_fields)],
        needs_module=True,
    ),
    "send": row(
        transfer(stablehlo.SendOp, DEVICE_TO_HOST),
        2,
        "",
        "channel_id is_host_transfer",
        forms=[Form(stablehlo.SendOp, transfer_fields)],
        needs_module=True,
    ),
    "outfeed": described(
        stablehlo.OutfeedOp,
        2,
        prop("outfeed_config", STRING, default=""),
        extras="outfeed_shape",
        read_operands=unpacked_data,
        write_operands=packed_data,
    ),
}
