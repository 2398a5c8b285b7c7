"""Instructions at which threads may wait for what other threads, copies or products complete."""

from collections.abc import Callable
from dataclasses import dataclass

from xshardy.numerics.element_types import Array
from xshardy.ptx.lanes import Lanes


@dataclass(frozen=True, slots=True)
class Wait:
    """
    An instruction at which threads may wait until something is complete: it tests that, and says whether it is.

    Threads for which it is not complete wait until no others can continue. If nothing has changed since they waited
    there the last time, they wait for ever.
    """

    test: Callable[[Lanes], Array]
    """For which active threads it is complete: a mask of the full shape."""
    finish: Callable[[Lanes, bool], None]
    """What the active threads do when they continue, and it is complete or not."""
    describe: Callable[[Lanes, int], str]
    """What a thread, by its number in the flattened mask, waits for, in words behind the thread."""
    may_fail: bool
    """Whether the threads may continue though it is not complete."""
