"""Functions in the order of the call graph."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.utils.exceptions import PassFailedException

from xshardy.transforms.call_graph import bottom_up, functions_of

ORIGINAL_FUNC_NAME = "sdy.original_func_name"
"""A discardable attribute of a function that was copied: the name of the function that it is a copy of."""


def _calls(functions: Mapping[str, FuncOp]) -> dict[str, list[str]]:
    """The functions that have a body, and for each those of them that it calls, in text order."""
    defined = {name: function for name, function in functions.items() if function.body.blocks}
    return {
        name: [
            call.callee.string_value()
            for call in function.body.walk()
            if isinstance(call, CallOp) and call.callee.string_value() in defined
        ]
        for name, function in defined.items()
    }


def callees_first(functions: Mapping[str, FuncOp]) -> Sequence[FuncOp]:
    """The functions that have a body, each after those it calls. Reads each op once."""
    return [functions[name] for name in bottom_up(_calls(functions)).order]


def acyclic_callees_first(functions: Mapping[str, FuncOp]) -> Sequence[FuncOp]:
    """The same. Raises `PassFailedException` if a function calls itself, also by way of others."""
    walk = bottom_up(_calls(functions))
    if walk.recursive:
        raise PassFailedException(f"@{min(walk.recursive)} calls itself: the call graph must not have recursion")
    return [functions[name] for name in walk.order]


def callers_first(module: ModuleOp) -> Sequence[FuncOp]:
    """The functions that have a body, each before those it calls."""
    return callees_first(functions_of(module))[::-1]
