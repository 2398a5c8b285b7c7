"""
Canonicalization that is restricted to reshards or to collectives.

Like any canonicalization, it also erases dead operations and merges equal constants.
"""

from collections.abc import Iterator
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects.sdy.canonicalization import COLLECTIVE_PATTERNS, ReshardOfReshard
from xshardy.rewriting import PatternPass, PatternSet, Step
from xshardy.transforms.canonicalization.steps import canonicalization_steps

RESHARDS = PatternSet((ReshardOfReshard(),))
COLLECTIVES = PatternSet(tuple(pattern for patterns in COLLECTIVE_PATTERNS.values() for pattern in patterns))


class CanonicalizeReshardsPass(PatternPass):
    """Replace reshards of reshards by one."""

    name = "sdy-canonicalize-reshards"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-export-pipeline: the reshard patterns of its canonicalizer'

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        return canonicalization_steps(RESHARDS)


class CanonicalizeCollectivesPass(PatternPass):
    """Fuse collectives, and drop those that do nothing."""

    name = "sdy-canonicalize-collectives"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-export-pipeline: the collective patterns of its canonicalizer'

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        return canonicalization_steps(COLLECTIVES)
