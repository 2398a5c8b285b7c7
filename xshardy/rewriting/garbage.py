"""Suspension of Python's cyclic garbage collector while long-lived objects are built."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

LEAST_BUILT = 1_000_000
"""How many objects are built, at least, between two collections that `collection_suspended` starts."""


class _Built:
    """The objects that were built while collection was suspended, since the last full collection."""

    def __init__(self) -> None:
        self._number = 0
        self._collections = 0
        """The full collections of this process when `_number` was 0."""
        self._others = 0
        """The objects in the process after the last full collection from here."""

    def make_old(self) -> None:
        """
        Make all young objects old, without a look at them; if they have become many, with a full collection.

        Python makes objects old that survive two collections, each of which would traverse all that was built. It
        decides by young collections when to start a full one, so this counts what they do not see.
        """
        if gc.get_freeze_count():  # somebody else keeps objects out of collections, which `unfreeze` would undo
            return
        number = gc.get_count()[0]
        gc.freeze()
        gc.unfreeze()
        collections = gc.get_stats()[-1]["collections"]
        if collections != self._collections:
            self._collections, self._number = collections, 0
        self._number += number
        if self._number > max(LEAST_BUILT, self._others):
            gc.collect()
            self._collections, self._number, self._others = collections + 1, 0, len(gc.get_objects())


_built = _Built()


@contextmanager
def collection_suspended() -> Generator[None]:
    """
    Suspend the cyclic garbage collector within the context, for code that builds many long-lived objects.

    Each collection traverses all objects of the process, a million beside JAX, so its time grows with the whole
    process, not with the objects built. Reference counting still frees acyclic garbage. What is alive at the end is old
    for Python: the next young collection does not traverse it.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            _built.make_old()
            gc.enable()
