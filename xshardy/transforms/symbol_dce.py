"""Erase the symbols that nothing can reach, as MLIR's `symbol-dce` does."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xshardy.rewriting.walk import operations_in
from xshardy.transforms.call_graph import symbols_in

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
    seen: set[int] = set()
    while hidden and pending:
        for name in _references_within(pending.pop(), seen):
            if (reached := hidden.pop(name, None)) is not None:
                pending.append(reached)
    return tuple(hidden.values())


def _references_within(root: Operation, seen: set[int]) -> list[str]:
    """The symbols that `root` and the operations in it refer to, without those of attributes `seen`, by identity."""
    found: list[str] = []
    for op in (root, *operations_in(root)):
        for attributes in (op.properties, op.attributes):
            for attribute in attributes.values():
                if id(attribute) not in seen:  # many operations share their attributes
                    seen.add(id(attribute))
                    found += symbols_in(attribute)
    return found


@dataclass(frozen=True)
class SymbolDCEPass(ModulePass):
    """Erase the private and nested symbols that nothing else in the module reaches."""

    name = "symbol-dce"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for symbol in dead_symbols(op):
            Rewriter.erase_op(symbol)
