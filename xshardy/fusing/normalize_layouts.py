"""Give the operations of a program default layouts, where XLA has not assigned others."""

from collections.abc import Iterable
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.hlo import LAYOUT, layout_of
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.rewriting import PatternPass, Step, match_op_type
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.call_graph import is_private

FIXING_RESULTS = (stablehlo.CustomCallOp, stablehlo.GetTupleElementOp)
"""Operations whose results have a layout for a reason: a custom call, and the elements of the tuple that it gives."""
ASSIGNED = (hlo.BitcastOp, hlo.FusionOp)
"""Operations that XLA makes after it has assigned layouts: a module with any of them keeps its layouts."""


class CopyIntoLayout(RewritePattern):
    """`return %while#1` -> `return copy(%while#1)`, in the layout of the result; the same in front of custom calls."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if not fixes_operand_layouts(op):
            return
        for index, operand in enumerate(op.operands):
            layout = layout_of(operand)
            if layout is not None and not is_in_fixed_layout(operand):
                copy = hlo.CopyOp(operand)
                copy.attributes[LAYOUT] = integers(layout)
                rewriter.insert(copy, InsertPoint.before(op))
                op.operands[index] = copy.result
                rewriter.notify_op_modified(op)


class CopyOfResults(RewritePattern):
    """`f(custom_call(%x))` -> `f(copy(custom_call(%x)))`, in the default layout, for a result in another."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if isinstance(op, FIXING_RESULTS):
            copy_into_default(op.results, InsertPoint.after(op), rewriter)


class CopyOfParameters(RewritePattern):
    """`f(%arg0)` -> `f(copy(%arg0))`, in the default layout, for a parameter of the entry in another."""

    @match_op_type
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /):
        if not is_private(op):  # so that it has a body
            copy_into_default(op.args, InsertPoint.at_start(op.body.block), rewriter)


def copy_into_default(values: Iterable[SSAValue], place: InsertPoint, rewriter: PatternRewriter) -> None:
    """Let what reads `values` that are in other layouts read copies, unless it fixes the layouts of its operands."""
    for value in values:
        readers = [use for use in value.uses if not fixes_operand_layouts(use.operation)]
        if isinstance(value.type, TensorType) and layout_of(value) is not None and readers:
            copy = hlo.CopyOp(value)
            rewriter.insert(copy, place)
            for use in readers:
                use.operation.operands[use.index] = copy.result
                rewriter.notify_op_modified(use.operation)


class DropLayout(RewritePattern):
    """`f(%x) {hlo.layout = [0, 1]}` -> `f(%x)`, for all but custom calls and the copies for them and for results."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if LAYOUT in op.attributes and not any(is_in_fixed_layout(result) for result in op.results):
            del op.attributes[LAYOUT]
            rewriter.notify_op_modified(op)


def fixes_operand_layouts(op: Operation) -> bool:
    """Whether `op` needs its operands in their layouts: a custom call, or the end of the program."""
    if isinstance(op, ReturnOp):
        function = op.parent_op()
        return isinstance(function, FuncOp) and not is_private(function)
    return isinstance(op, stablehlo.CustomCallOp)


def is_in_fixed_layout(value: SSAValue) -> bool:
    """Whether `value` keeps its layout: a parameter, the result of a custom call, or a copy into a fixed layout."""
    match value.owner:
        case Operation() as op:
            is_copy = isinstance(op, hlo.CopyOp) and any(fixes_operand_layouts(use.operation) for use in value.uses)
            return is_copy or isinstance(op, FIXING_RESULTS)
        case _:
            return True


class NormalizeLayoutsPass(PatternPass):
    """
    Compute everything in default layouts, and copy from and into those of parameters, results and custom calls.

    HLO text of JAX has layouts of transposes and of what is computed from them, which loops and their bodies do not
    share. XLA assigns others; a program in which it has is not changed.
    """

    name = "hlo-normalize-layouts"
    source: ClassVar[str] = "XLA's layout assignment and layout normalization"

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        if not any(operations_of(module, *ASSIGNED)):
            yield Step((CopyIntoLayout(), CopyOfResults(), CopyOfParameters()))
            yield Step((DropLayout(),))
