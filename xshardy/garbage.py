"""Python's garbage collector, while there is no garbage: it looks through all that is alive, again and again."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Generator[None]:
    """
    No search for garbage that refers to itself: for code that makes much which stays alive.

    Each search looks at all objects of the process, and beside JAX these are a million: time would grow with what the
    whole program has alive, not only with what is made. Other garbage is freed as always.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
