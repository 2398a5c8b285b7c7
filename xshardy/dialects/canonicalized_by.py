"""The trait that names the module of an operation's canonicalization patterns: neither file imports the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait

PATTERNS = "PATTERNS"
"""The table of such a module: the patterns of each class of operations."""


@dataclass(frozen=True)
class CanonicalizedBy(HasCanonicalizationPatternsTrait):
    """
    The patterns of an operation are its row in the table `PATTERNS` of `module`, which is imported on first use.

    Patterns build operations, so their module imports that of the operations, which must not import it in turn.
    """

    module: str

    def verify(self, op: Operation) -> None:
        """Nothing to check."""

    def get_patterns(self, op: type[Operation]) -> tuple[RewritePattern, ...]:
        return tuple(_table(self.module).get(op, ()))

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        raise NotImplementedError("the patterns depend on the class of the operation: call get_patterns")


@cache
def _table(module: str) -> Mapping[type[Operation], Sequence[RewritePattern]]:
    return getattr(import_module(module), PATTERNS)
