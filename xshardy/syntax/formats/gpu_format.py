"""Texts of the gpu dialect."""

from collections.abc import Mapping

from xdsl.dialects import gpu
from xdsl.dialects.builtin import i1, i32
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.printer import Printer

from xshardy.dialects.extensions.gpu import READERS, ShuffleMode, ShuffleModeAttr, ShuffleOp
from xshardy.syntax.formats import Format, declared


def print_dimension(op: IRDLOperation, printer: Printer) -> None:
    """`gpu.thread_id x {attributes}`"""
    dimension = op.properties["dimension"]
    assert isinstance(dimension, gpu.DimensionAttr)
    printer.print_string(f" {dimension.data}")
    printer.print_op_attributes(op.attributes)


def parse_shuffle(parser: Parser) -> ShuffleOp:
    """` down %value, %offset, %width : f32`"""
    mode = parser.parse_str_enum(ShuffleMode)
    value = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    offset = parser.parse_operand(i32)
    parser.parse_punctuation(",")
    width = parser.parse_operand(i32)
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    type = parser.parse_type()
    return ShuffleOp.build(
        operands=[parser.resolve_operand(value, type), offset, width],
        properties={"mode": ShuffleModeAttr(mode)},
        attributes=attributes,
        result_types=[type, i1],
    )


def print_shuffle(op: ShuffleOp, printer: Printer) -> None:
    """The inverse of `parse_shuffle`."""
    printer.print_string(f" {op.mode.data} ")
    printer.print_list(op.operands, printer.print_operand)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(op.value.type)


FORMATS: Mapping[type[Operation], Format] = {
    **{reader.original: Format(reader.parse, print_dimension) for reader in READERS},
    **{op: declared(op, "attr-dict") for op in (gpu.BarrierOp, gpu.LaneIdOp, gpu.TerminatorOp)},
    **{
        op: declared(op, "attr-dict `:` type($result)")
        for op in (gpu.NumSubgroupsOp, gpu.SubgroupIdOp, gpu.SubgroupSizeOp)
    },
    gpu.ReturnOp: declared(gpu.ReturnOp, "attr-dict ($args^ `:` type($args))?"),
    gpu.YieldOp: declared(gpu.YieldOp, "$values attr-dict `:` type($values)"),
    ShuffleOp: Format(parse_shuffle, print_shuffle),
}
