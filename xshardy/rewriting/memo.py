"""Remembering what was found for an object, by its identity."""

from collections.abc import Callable, Hashable
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")


def once_per_object(function: Callable[[A], B]) -> Callable[[A], B]:
    """
    `function`, called once for each object that it is given.

    For functions of attributes, which are shared by many operations, and which take long to hash.
    """
    known: dict[int, tuple[A, B]] = {}
    """The object is kept, so that no other one gets its identity."""

    def remembered(argument: A) -> B:
        entry = known.get(id(argument))
        if entry is None:
            entry = known[id(argument)] = argument, function(argument)
        return entry[1]

    return remembered


def numbers_of_equals() -> Callable[[Hashable], int]:
    """A function that returns the same number for equal objects, other ones for others. It hashes each object once."""
    numbers: dict[Hashable, int] = {}
    return once_per_object(lambda argument: numbers.setdefault(argument, len(numbers)))
