"""Tables whose rows are shared: a row is written once, and referred to by its number."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
R = TypeVar("R")


class Table(Generic[K, R]):
    """Rows by key: the row of a key is made when the key is first asked for."""

    def __init__(self, make: Callable[[K], R]):
        self._make = make
        self._numbers: dict[K, int] = {}
        self.rows: list[R] = []

    def number(self, key: K) -> int:
        """The number of the row of `key`."""
        if (number := self._numbers.get(key)) is None:
            row = self._make(key)  # it may add rows
            number = self._numbers[key] = len(self.rows)
            self.rows.append(row)
        return number
