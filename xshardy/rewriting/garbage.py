"""Suspension of Python's cyclic garbage collector while long-lived objects are built."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def collection_suspended() -> Generator[None]:
    """
    Suspend the cyclic garbage collector within the context, for code that builds many long-lived objects.

    Each collection traverses all objects of the process, a million beside JAX, so its time grows with the whole
    process, not with the objects built. Reference counting still frees acyclic garbage.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
