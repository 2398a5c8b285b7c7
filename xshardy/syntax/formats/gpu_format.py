"""Texts of the gpu dialect."""

from collections.abc import Mapping

from xdsl.dialects import gpu
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation
from xdsl.printer import Printer

from xshardy.dialects.extensions.gpu import READERS
from xshardy.syntax.formats import Format, declared


def print_dimension(op: IRDLOperation, printer: Printer) -> None:
    """`gpu.thread_id x {attributes}`"""
    dimension = op.properties["dimension"]
    assert isinstance(dimension, gpu.DimensionAttr)
    printer.print_string(f" {dimension.data}")
    printer.print_op_attributes(op.attributes)


FORMATS: Mapping[type[Operation], Format] = {
    **{reader.original: Format(reader.parse, print_dimension) for reader in READERS},
    **{op: declared(op, "attr-dict") for op in (gpu.BarrierOp, gpu.LaneIdOp, gpu.TerminatorOp)},
    **{
        op: declared(op, "attr-dict `:` type($result)")
        for op in (gpu.NumSubgroupsOp, gpu.SubgroupIdOp, gpu.SubgroupSizeOp)
    },
    gpu.ReturnOp: declared(gpu.ReturnOp, "attr-dict ($args^ `:` type($args))?"),
    gpu.YieldOp: declared(gpu.YieldOp, "$values attr-dict `:` type($values)"),
}
