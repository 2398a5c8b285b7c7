"""Erase the functions that nothing can reach."""

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xshardy.transforms.call_graph import function_references, functions_of, is_private, references_of


def dead_functions(module: ModuleOp) -> tuple[func.FuncOp, ...]:
    """
    The private functions of `module` that no public one reaches through calls, in the order of the text.

    A function that something other than a function refers to is alive. Reads each operation at most once.
    """
    functions = functions_of(module)
    alive = {name for name, function in functions.items() if not is_private(function)}
    for op in module.ops:
        if not isinstance(op, func.FuncOp):
            alive.update(name for inner in op.walk() for name in references_of(inner) if name in functions)
    pending = list(alive)
    while pending:
        references = function_references(functions[pending.pop()], functions)
        reached = {reference.name for reference in references} - alive
        pending += reached
        alive |= reached
    return tuple(function for name, function in functions.items() if name not in alive)


class EraseDeadFunctionsPass(ModulePass):
    """Erase the private functions that no public one reaches through calls."""

    name = "xla-gpu-erase-dead-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in dead_functions(op):
            Rewriter.erase_op(function)
