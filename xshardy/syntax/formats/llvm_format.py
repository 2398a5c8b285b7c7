"""Texts of the llvm dialect."""

from collections.abc import Mapping

from xdsl.dialects import llvm
from xdsl.ir import Operation
from xdsl.printer import Printer

from xshardy.syntax.formats import Format


def print_constant(op: llvm.ConstantOp, printer: Printer) -> None:
    """`(3 : i64) : i64`: the attribute always carries its type."""
    printer.print_string("(")
    printer.print_attribute(op.value)
    printer.print_string(")")
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(op.result.type)


FORMATS: Mapping[type[Operation], Format] = {llvm.ConstantOp: Format(print=print_constant)}
