"""Python's garbage collector, while there is no garbage: it looks through all that is alive, again and again."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Generator[None]:
    """
    No garbage collection: for code that makes much which stays alive.

    Without it, time grows with what the whole program has alive, not only with what is made.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
