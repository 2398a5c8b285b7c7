"""Erase the symbols that nothing can reach, as MLIR's `symbol-dce` does."""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xshardy.transforms.call_graph import references_of

HIDDEN = frozenset({StringAttr("private"), StringAttr("nested")})
"""The visibilities of symbols that nothing outside of their module refers to."""


def dead_symbols(module: ModuleOp) -> tuple[Operation, ...]:
    """
    The hidden symbols of `module` that no other operation of it reaches by references, in the order of the text.

    Reads each operation at most once. Symbols of modules in `module` are not looked at.
    """
    hidden: dict[str, Operation] = {}
    pending: list[Operation] = []
    for op in module.ops:
        name = op.properties.get("sym_name")
        if isinstance(name, StringAttr) and op.properties.get("sym_visibility") in HIDDEN:
            hidden[name.data] = op
        else:
            pending.append(op)
    while hidden and pending:
        for name in _references_in(pending.pop()):
            if (reached := hidden.pop(name, None)) is not None:
                pending.append(reached)
    return tuple(hidden.values())


def _references_in(op: Operation) -> Iterator[str]:
    return (name for inner in op.walk() for name in references_of(inner))


@dataclass(frozen=True)
class SymbolDCEPass(ModulePass):
    """Erase the private and nested symbols that nothing else in the module reaches."""

    name = "symbol-dce"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for symbol in dead_symbols(op):
            Rewriter.erase_op(symbol)
