"""Arithmetic on complex numbers to arithmetic on their parts."""

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from xshardy.lowering.conversion import Rule, convert
from xshardy.lowering.types import SameTypes

RULES: Mapping[type[Operation], Rule] = {}


class ConvertComplexToStandardPass(ModulePass):
    """Lower arithmetic on complex numbers to arithmetic on their parts."""

    name = "convert-complex-to-standard"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert(op, RULES, SameTypes())
