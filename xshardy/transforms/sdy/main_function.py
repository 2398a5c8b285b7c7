"""The main function of a module."""

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import PassFailedException

from xshardy.transforms.call_graph import functions_of, is_private

MAIN = "main"
"""The name of the main function in a module of several public functions."""


def main_function(module: ModuleOp) -> FuncOp:
    """The main function of `module`: see `main_if_any`. Raises `PassFailedException` if there is none."""
    return main_of(functions_of(module))


def main_of(functions: Mapping[str, FuncOp]) -> FuncOp:
    """The main function among `functions`, by name. Raises `PassFailedException` if there is none."""
    if not functions:
        raise PassFailedException("the module has no functions: give the one that starts")
    main = main_if_any(functions)
    if main is None:
        raise PassFailedException(
            f"the module has {len(functions)} functions and none of them is @{MAIN}: rename the one that starts"
        )
    return main


def main_if_any(functions: Mapping[str, FuncOp]) -> FuncOp | None:
    """
    The only one of `functions`, the one called `main`, or the only one that is not private; None otherwise.

    The last is the entry of an HLO module, which has any name.
    """
    if len(functions) == 1:
        return next(iter(functions.values()))
    if MAIN in functions:
        return functions[MAIN]
    public = [function for function in functions.values() if not is_private(function)]
    return public[0] if len(public) == 1 else None
