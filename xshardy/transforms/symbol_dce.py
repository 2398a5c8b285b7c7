"""Erase the symbols that no reference reaches, as MLIR's `symbol-dce` does."""

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.ir.hashing import Key
from xshardy.rewriting import DecisionPattern, PatternPass
from xshardy.rewriting.walk import attributes_on, operations_from
from xshardy.transforms.call_graph import calls_by_symbol, symbols_not_in

HIDDEN = frozenset({StringAttr("private"), StringAttr("nested")})
"""The visibilities of symbols without references from outside of their module."""


def dead_symbols(module: ModuleOp) -> tuple[Operation, ...]:
    """
    The hidden symbols of `module` that no other operation of it reaches by references, in the order of the text.

    Reads the attributes of operations only if there are symbols that calls do not reach, and then at most once.
    Symbols of nested modules are not counted.
    """
    hidden: dict[str, Operation] = {}
    roots: list[Operation] = []
    for op in module.ops:
        name = op.properties.get("sym_name")
        if isinstance(name, StringAttr) and op.properties.get("sym_visibility") in HIDDEN:
            hidden[name.data] = op
        else:
            roots.append(op)
    if not hidden:
        return ()
    calls = calls_by_symbol(module)
    reached = _take_reached(hidden, roots, lambda op: [call.callee.string_value() for call in calls.get(op, ())])
    seen: set[Key] = set()
    _take_reached(hidden, roots + reached, lambda op: _references_within(op, seen))
    return tuple(hidden.values())


def _take_reached(
    hidden: dict[str, Operation], roots: Iterable[Operation], names_within: Callable[[Operation], Iterable[str]]
) -> list[Operation]:
    """Take the symbols out of `hidden` that `roots` reach by `names_within`. Returns them."""
    taken: list[Operation] = []
    pending = list(roots)
    while hidden and pending:
        for name in names_within(pending.pop()):
            if (reached := hidden.pop(name, None)) is not None:
                pending.append(reached)
                taken.append(reached)
    return taken


def _references_within(root: Operation, seen: set[Key]) -> list[str]:
    """The symbols that `root` and the operations in it refer to, without those of attributes `seen`."""
    return [name for held in attributes_on(operations_from(root)).values() for name in symbols_not_in(seen, held)]


class EraseDeadSymbol(DecisionPattern[Operation, None]):
    """`func private @dead` -> nothing, where no operation that stays refers to `@dead`."""

    def rewrite(self, op: Operation, decision: None, rewriter: PatternRewriter, /) -> None:
        rewriter.erase(op)


class SymbolDCEPass(PatternPass):
    """Erase the private and nested symbols that nothing else in the module reaches."""

    name = "symbol-dce"
    source: ClassVar[str] = "MLIR, symbol-dce"

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        return (EraseDeadSymbol(dict.fromkeys(dead_symbols(module))),)
