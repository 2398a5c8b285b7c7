"""Give each call a function of its own. Source: Shardy's docs, "Import passes"."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xshardy.transforms.sdy.call_order import acyclic_callees_first
from xshardy.transforms.sdy.function_copies import Functions


@dataclass(frozen=True)
class FlattenCallGraphPass(ModulePass):
    """
    `call @f`, `call @f` -> `call @f`, `call @f_0`: every call but the first calls a copy, with copies of what it calls.

    The copies know the name that the function had, in `sdy.original_func_name`.
    """

    name = "sdy-flatten-call-graph"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = Functions(op)
        called: set[str] = set()
        for calls in acyclic_callees_first(functions).values():
            for call in calls:
                name = call.callee.string_value()
                if name in called:
                    functions.call_copy(call)
                called.add(name)
