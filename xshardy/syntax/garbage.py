"""A pause for Python's garbage collector, while only what is kept is made."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Generator[None]:
    """
    Makes no search for garbage that refers to itself: a parser leaves none, but its many new objects set off searches.

    Each looks at all objects of the process, and beside JAX these are a million. Other garbage is freed as always.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
