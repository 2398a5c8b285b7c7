"""
Split the last iteration off loops if the others then need no bounds check.

Most iterations of a loop with a bounds check are far from the bound. Source: row XGPU-10, "loop peeling".
"""

from dataclasses import replace
from typing import ClassVar

from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.affine.expressions import used_variables
from xshardy.affine.indexing_map import IndexingMap, Variable
from xshardy.affine.interval import Interval
from xshardy.dialects.xla_gpu import LoopOp
from xshardy.rewriting import PatternPass, match_op_type

MAX_ITERATIONS = 64
"""A loop whose inner loops have this many iterations is not split: the copy does not pay off. XLA's number."""


class PeelLoop(RewritePattern):
    """
    `loop (%d)[%i] in d in [0, 3], i in [0, 7], d + i in [0, 9] iter_args(%x = %init)`
    ->
    `%1 = loop (%d)[%i] in d in [0, 3], i in [0, 6] iter_args(%x = %init)`
    `loop (%d)[%i] in d in [0, 2], i in [7, 7] iter_args(%x = %1)`

    The iterations for the last value of a variable run after all others, so floating-point sums change their order.
    """

    @match_op_type
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter, /):
        pieces = peeled(op.map)
        if pieces == (op.map,):
            return
        carried = op.inits
        for piece in pieces:
            loop = rewriter.insert(LoopOp(op.dims, piece, carried, op.body.clone()))
            loop.attributes.update(op.attributes)
            carried = loop.results
        rewriter.replace(op, (), carried)


def peeled(indexing_map: IndexingMap) -> tuple[IndexingMap, ...]:
    """
    A partition of the domain of `indexing_map`: one map without the last values of range variables, then those of each.

    All maps are simplified, also a single one. A range variable is split if no constraint depends on it without its
    last value, innermost variable first.
    """
    indexing_map = indexing_map.simplify()  # drops constraints that always hold
    tails: list[IndexingMap] = []
    within = 1
    for position in reversed(range(len(indexing_map.ranges))):
        if within >= MAX_ITERATIONS:
            break
        bounds = indexing_map.ranges[position].bounds
        within *= bounds.size
        if bounds.is_point or not _is_constrained(indexing_map, position):
            continue
        without_last = _with_bounds(indexing_map, position, Interval(bounds.lower, bounds.upper - 1))
        if _is_constrained(without_last, position):
            continue
        tails.append(_with_bounds(indexing_map, position, Interval.point(bounds.upper)))
        indexing_map = without_last
    return (indexing_map, *(tail for tail in reversed(tails) if not tail.is_known_empty))


def _is_constrained(indexing_map: IndexingMap, position: int) -> bool:
    """Whether a constraint reads range variable `position`."""
    return any(position in used_variables(c.expr)[1] for c in indexing_map.constraints)


def _with_bounds(indexing_map: IndexingMap, position: int, bounds: Interval) -> IndexingMap:
    """The part of the map with range variable `position` within `bounds`, simplified."""
    ranges = list(indexing_map.ranges)
    ranges[position] = Variable(ranges[position].name, bounds)
    return replace(indexing_map, ranges=tuple(ranges)).simplify()


class PeelLoopsPass(PatternPass):
    """Split the last iteration off `xla_gpu.loop`s if that removes constraints from the others."""

    name = "xla-gpu-peel-loops"
    source: ClassVar[str] = 'XLA:GPU emitters, "Building blocks", loop peeling (XGPU-10)'
    fixed_patterns = (PeelLoop(),)
