"""
Canonicalization of what moves tensors between devices, and of nothing else.

As in any canonicalization, what is dead goes and constants are kept once. Source: the labels of Shardy's
canonicalization patterns, with which its export pipeline picks them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects.sdy.canonicalization import COLLECTIVE_PATTERNS, ReshardOfReshard
from xshardy.rewriting import PatternPass, PatternSet, Step
from xshardy.transforms.canonicalize import canonicalization_steps

RESHARDS = PatternSet((ReshardOfReshard(),))
COLLECTIVES = PatternSet(tuple(pattern for patterns in COLLECTIVE_PATTERNS.values() for pattern in patterns))


@dataclass(frozen=True)
class CanonicalizeReshardsPass(PatternPass):
    """Reshard once where there are reshards of reshards."""

    name = "sdy-canonicalize-reshards"

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        return canonicalization_steps(RESHARDS)


@dataclass(frozen=True)
class CanonicalizeCollectivesPass(PatternPass):
    """Fuse collectives, and drop those that do nothing."""

    name = "sdy-canonicalize-collectives"

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        return canonicalization_steps(COLLECTIVES)
