"""Locations that are numbers until they are asked for: bytecode has as many as operations, and few are ever read."""

from collections.abc import Callable
from typing import final

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import BuiltinAttribute
from xdsl.printer import Printer


@final
class NumberedLocation(BuiltinAttribute):
    """
    The location that `read` returns for `number`. Two are equal if they are the same object.

    What `read` refers to stays in memory as long as this does. What `read` raises, `value` raises.
    """

    name = "xshardy.numbered_location"

    _value: LocationAttr | None = None

    __setattr__ = object.__setattr__  # xDSL's attributes are frozen, by a function of Python

    def __init__(self, read: Callable[[int], LocationAttr], number: int) -> None:
        self._read, self._number = read, number

    @property
    def value(self) -> LocationAttr:
        """The location, read on the first call."""
        if self._value is None:
            self._value = self._read(self._number)
        return self._value

    def another(self) -> "NumberedLocation":
        """A location that says the same, and is equal to no other."""
        return NumberedLocation(self._read, self._number)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return object.__hash__(self)

    def print_builtin(self, printer: Printer) -> None:
        self.value.print_builtin(printer)
