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


class AttributeTable(Table[K, R]):
    """
    Rows by attribute. Looks for the same object first, since hashing an attribute is slow.

    The attributes must stay alive as long as the table.
    """

    def __init__(self, make: Callable[[K], R]):
        super().__init__(make)
        self._by_identity: dict[int, int] = {}

    def number(self, key: K) -> int:
        if (number := self._by_identity.get(id(key))) is None:
            number = self._by_identity[id(key)] = super().number(key)
        return number


class Strings(Table[str, str]):
    """Strings, as their own rows."""

    def __init__(self) -> None:
        super().__init__(lambda text: text)
