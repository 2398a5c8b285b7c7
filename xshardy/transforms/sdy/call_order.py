"""The functions of a module in the order of its call graph, with their calls."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp

from xshardy.transforms.call_graph import BottomUp, bottom_up, calls_by_symbol
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.function_copies import Functions

CallOrder = Mapping[FuncOp, Sequence[CallOp]]
"""Functions, each after those it calls, and for each its calls in the order of the text."""


def _ordered(functions: Functions) -> tuple[CallOrder, BottomUp]:
    made_in = calls_by_symbol(functions.module)
    calls = {name: made_in.get(f, ()) for name, f in functions.by_name.items() if f.body.blocks}
    walk = bottom_up(
        {
            name: [callee for call in made if (callee := call.callee.string_value()) in calls]
            for name, made in calls.items()
        }
    )
    return {functions.by_name[name]: calls[name] for name in walk.order}, walk


def callees_first(module: ModuleOp) -> CallOrder:
    """The functions of `module` that have a body, callees first as far as recursion allows. Reads each op once."""
    return _ordered(Functions(module))[0]


def acyclic_callees_first(functions: Functions) -> CallOrder:
    """
    The functions that have a body, callees first.

    Raises `OperationFailedException` if one calls itself, also by way of others, or calls what is not there.
    """
    order, walk = _ordered(functions)
    for calls in order.values():
        for call in calls:
            functions.callee(call)
    if walk.recursive:
        name = min(walk.recursive)
        raise OperationFailedException(
            functions.by_name[name],
            f"@{name} calls itself, directly or through others: a function is copied for each of its calls, so the "
            "call graph must not have recursion; write it as a loop",
        )
    return order
