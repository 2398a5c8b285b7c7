"""The table of the fake driver's functions: what C calls, and how exceptions become error codes."""

import ctypes
from collections.abc import Callable
from ctypes import c_int, c_void_p
from typing import Any

from fake_cuda.state import DRIVER, DriverError, Result

FUNCTIONS: dict[str, Any] = {}
"""What C calls, by the name that cuda-bindings looks up."""


def function(*types: Any) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Make a function one of the driver's, with arguments of these types of C."""

    def add(implementation: Callable[..., object]) -> Callable[..., object]:
        def called(*arguments: Any) -> int:
            try:
                implementation(*arguments)
            except Exception as error:  # nothing may pass through C
                DRIVER.refusals.append(str(error) or repr(error))
                return error.result if isinstance(error, DriverError) else Result.UNKNOWN
            return Result.SUCCESS

        FUNCTIONS[implementation.__name__] = ctypes.CFUNCTYPE(c_int, *types)(called)
        return implementation

    return add


def unknown(name: str) -> Any:
    """A function that the fake driver lacks."""

    def refuse() -> None:
        raise DriverError(Result.NOT_SUPPORTED, f"the fake driver has no {name}")

    refuse.__name__ = name
    function()(refuse)
    return FUNCTIONS[name]


def put(place: int, value: int | float, type: Any = c_void_p) -> None:
    """Set the variable at `place`."""
    type.from_address(place).value = value
