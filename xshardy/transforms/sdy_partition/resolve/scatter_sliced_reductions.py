"""Sums over several axes of which each device keeps its part along some, as of gradients of sharded weights."""

from typing import ClassVar

from xshardy.dialects.sdy.canonicalization import FuseAllReduceIntoAllSlice
from xshardy.rewriting import PatternPass


class ScatterSlicedReductionsPass(PatternPass):
    """
    Replace `all_slice [{"x"}] (all_reduce {"x", "y"} t)` by `all_reduce {"y"} (reduce_scatter [{"x"}] t)`.

    `n` devices along `x` and `m` along `y` send `(n - 1 + 2 (m - 1) / m) / n` of the bytes of `t` each instead of
    `2 (n m - 1) / (n m)`. Reductions of which all axes are sliced are left to `sdy-canonicalize-collectives`.
    """

    name = "sdy-scatter-sliced-reductions"
    source: ClassVar[str] = "ours: gradients where some axes shard the batch alone and others the weights too"
    fixed_patterns = (FuseAllReduceIntoAllSlice(some_axes=True),)
