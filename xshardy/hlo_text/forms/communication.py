"""Opcodes that talk to the host: infeed and outfeed."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import StringAttr, TupleType
from xdsl.ir import Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.types import TokenType
from xshardy.hlo_text.codecs import Fields
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.opcode import Form, Opcode, Regions, row
from xshardy.hlo_text.shapes import print_type

OUTFEED_SHAPE = "hlo.outfeed_shape"
ONE_TUPLE = "hlo.one_tuple"
"""Marks an outfeed of a tuple, which StableHLO gives several operands."""


def infeed(instruction: Instruction) -> Operation:
    """`infeed(token), infeed_config="..."`, of shape `((f32[2], s32[]), token[])`."""
    return stablehlo.InfeedOp.create(
        operands=instruction.values,
        result_types=instruction.result_types,
        properties={"infeed_config": StringAttr(instruction.fields.get("infeed_config", ""))},
    )


def infeed_fields(op: stablehlo.InfeedOp, regions: Regions) -> Fields:
    """`infeed_config="..."`"""
    return {"infeed_config": op.infeed_config.data} if op.infeed_config.data else {}


def outfeed(instruction: Instruction) -> Operation:
    """`outfeed(x, token), outfeed_shape=f32[2], outfeed_config="..."`"""
    *data, token = instruction.operands
    if len(data) != 1 or not isinstance(token.type, TokenType):
        raise instruction.error("takes an array or a tuple, and a token")
    op = stablehlo.OutfeedOp.create(
        operands=[*instruction.unpack(data[0]), token],
        result_types=[TokenType()],
        properties={"outfeed_config": StringAttr(instruction.fields.get("outfeed_config", ""))},
    )
    if isinstance(data[0].type, TupleType):
        op.attributes[ONE_TUPLE] = StringAttr(print_type(data[0].type))
    return op


def outfeed_fields(op: stablehlo.OutfeedOp, regions: Regions) -> Fields:
    """`outfeed_shape=f32[2], outfeed_config="..."`"""
    fields: Fields = {"outfeed_config": op.outfeed_config.data} if op.outfeed_config.data else {}
    if OUTFEED_SHAPE not in op.attributes:
        data, _ = outfeed_operands(op, regions)
        fields["outfeed_shape"] = print_type(data.type)
    return fields


def outfeed_operands(op: stablehlo.OutfeedOp, regions: Regions) -> Sequence[SSAValue]:
    """The tuple, or the array, and the token."""
    *data, token = op.operands
    return [regions.tuple_of(data), token]


ROWS: Mapping[str, Opcode] = {
    "infeed": row(infeed, 1, "", "infeed_config", forms=[Form(stablehlo.InfeedOp, infeed_fields)]),
    "outfeed": row(
        outfeed,
        2,
        "",
        "outfeed_config",
        extras="outfeed_shape",
        forms=[Form(stablehlo.OutfeedOp, outfeed_fields, outfeed_operands)],
    ),
}
