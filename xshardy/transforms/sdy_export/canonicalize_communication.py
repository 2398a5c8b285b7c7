"""
Canonicalization of reshards and collectives, and of nothing else.

As in any canonicalization, dead operations go, operations are folded and constants are kept once. Source: the labels of
Shardy's canonicalization patterns, by which its export pipeline selects them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects.sdy.canonicalization import COLLECTIVE_PATTERNS, ReshardOfReshard
from xshardy.rewriting import PatternPass, Step
from xshardy.transforms.canonicalization.cleanup import canonicalized


@dataclass(frozen=True)
class CanonicalizeReshardsPass(PatternPass):
    """Replace reshards of reshards by one."""

    name = "sdy-canonicalize-reshards"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-export-pipeline: the reshard patterns of its canonicalizer'

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        yield from canonicalized(module, [ReshardOfReshard()])


@dataclass(frozen=True)
class CanonicalizeCollectivesPass(PatternPass):
    """Fuse collectives, and drop those that do nothing."""

    name = "sdy-canonicalize-collectives"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-export-pipeline: the collective patterns of its canonicalizer'

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        yield from canonicalized(module, [*chain.from_iterable(COLLECTIVE_PATTERNS.values())])
