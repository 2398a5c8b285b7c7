"""The main function of a module."""

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import PassFailedException

from xshardy.transforms.call_graph import functions_of

MAIN = "main"
"""The name of the main function in a module of several functions."""


def main_function(module: ModuleOp) -> FuncOp:
    """The only function of `module`, or the one called `main`. Raises `PassFailedException` if there is neither."""
    return main_of(functions_of(module))


def main_of(functions: Mapping[str, FuncOp]) -> FuncOp:
    """The main function among `functions`, by name. Raises `PassFailedException` if there is none."""
    main = main_if_any(functions)
    if main is None:
        raise PassFailedException(
            f"the module has {len(functions)} functions and none of them is @{MAIN}: rename the one that starts"
        )
    return main


def main_if_any(functions: Mapping[str, FuncOp]) -> FuncOp | None:
    """The only one of `functions`, or the one called `main`; None if there is neither."""
    return next(iter(functions.values())) if len(functions) == 1 else functions.get(MAIN)
