"""Give each call a function of its own. Source: Shardy's docs, "Import passes"."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp
from xdsl.pattern_rewriter import RewritePattern

from xshardy.rewriting import PatternPass
from xshardy.transforms.sdy.call_order import CallOrder, acyclic_callees_first
from xshardy.transforms.sdy.function_copies import Functions, copies_for_calls, patterns_for_copies


def repeated_calls(order: CallOrder) -> Sequence[CallOp]:
    """The calls in `order` of functions that a call before them calls."""
    called: set[str] = set()
    repeated: list[CallOp] = []
    for call in (call for calls in order.values() for call in calls):
        name = call.callee.string_value()
        if name in called:
            repeated.append(call)
        called.add(name)
    return repeated


class FlattenCallGraphPass(PatternPass):
    """
    `call @f`, `call @f` -> `call @f`, `call @f_0`: every call but the first calls a copy, with copies of what it calls.

    Each copy keeps the name of the function it is a copy of in `sdy.original_func_name`.
    """

    name = "sdy-flatten-call-graph"
    source: ClassVar[str] = 'Shardy, "Import passes", sdy-flatten-call-graph'

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        order = acyclic_callees_first(Functions(module))
        return patterns_for_copies(copies_for_calls(repeated_calls(order), order, module), module)
