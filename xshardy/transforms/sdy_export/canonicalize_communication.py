"""
Canonicalization of what moves tensors between devices, and of nothing else.

As in any canonicalization, what is dead goes and constants are kept once. Source: the labels of Shardy's
canonicalization patterns, with which its export pipeline picks them.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xshardy.dialects.sdy.canonicalization import COLLECTIVE_PATTERNS, ReshardOfReshard
from xshardy.dialects.sdy.ops import ReshardOp
from xshardy.transforms.canonicalize import Canonicalizer


@dataclass(frozen=True)
class CanonicalizeReshardsPass(ModulePass):
    """Reshard once where there are reshards of reshards."""

    name = "sdy-canonicalize-reshards"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        Canonicalizer(ctx, {ReshardOp: (ReshardOfReshard(),)}).run(op)


@dataclass(frozen=True)
class CanonicalizeCollectivesPass(ModulePass):
    """Fuse collectives, and drop those that do nothing."""

    name = "sdy-canonicalize-collectives"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        Canonicalizer(ctx, COLLECTIVE_PATTERNS).run(op)
