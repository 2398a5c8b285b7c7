"""What is told of each application of a pattern in one module, whichever pass applies it."""

from abc import abstractmethod
from collections.abc import Generator
from contextlib import contextmanager

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region
from xdsl.pattern_rewriter import RewritePattern

from xshardy.rewriting.operation_index import innermost_with
from xshardy.rewriting.rewriter import ReasonListener


class RewriteObserver(ReasonListener):
    """
    A listener of all rewrites in one module, see `observed`, that also learns which pattern they are of.

    Between `start_match` and `end_match` the handlers of a listener get the changes, and `because` the reasons.
    """

    @abstractmethod
    def start_match(self, pattern: RewritePattern) -> None:
        """`pattern` is tried on an operation."""

    @abstractmethod
    def end_match(self, pattern: RewritePattern, op: Operation | None) -> None:
        """`pattern` changed something for `op`, which it may have erased; None: it rewrote attributes of many."""

    @abstractmethod
    def end_pass(self, name: str) -> None:
        """The pass `name`, or the part of it that no inner pass did, is done."""


_FIELD = "rewrite_observer"
"""The field of an observed module, as `operation_index` has one."""


@contextmanager
def observed(module: ModuleOp, observer: RewriteObserver) -> Generator[None]:
    """Tell `observer` of the rewrites in `module` within the context. Precondition: nothing else observes it."""
    setattr(module, _FIELD, observer)
    try:
        yield
    finally:
        delattr(module, _FIELD)


def observer_around(root: Operation | Region) -> RewriteObserver | None:
    """What observes the module around `root`, or that `root` is; None if nothing does."""
    return getattr(innermost_with(_FIELD, root), _FIELD, None)
