"""
Move loop-invariant conditions out of loops.

A loop without an `scf.if` inside can be vectorized. Source: row XGPU-10, "loop unswitching".
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects import scf
from xdsl.ir import Block, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.rewriting import PatternPass, Walk, match_op_type
from xshardy.transforms.xla_gpu.split_lane_loops import SplitLoopAtBranch, SplitLoopAtLoop


class UnswitchLoop(RewritePattern):
    """
    `scf.for %i { scf.if %c { a } else { b } }` -> `scf.if %c { scf.for %i { a } } else { scf.for %i { b } }`

    Only if the branch is the whole body: other operations would have to be duplicated.
    """

    @match_op_type
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /):
        body = op.body.block
        branch, terminator = body.first_op, body.last_op
        if not isinstance(branch, scf.IfOp) or branch.next_op is not terminator or branch.cond.owner is body:
            return
        assert isinstance(terminator, scf.YieldOp)
        then, otherwise = (_with_loop(region, op, branch, terminator) for region in branch.regions)
        rewriter.replace(op, scf.IfOp(branch.cond, op.result_types, then, otherwise))


def _with_loop(region: Region, loop: scf.ForOp, branch: scf.IfOp, terminator: scf.YieldOp) -> Region:
    """A region with `loop`, the branch in it replaced by a copy of one of its regions; empty if that is empty."""
    if not region.blocks:
        return Region()
    old, new = loop.body.block, Block(arg_types=loop.body.block.arg_types)
    copies: dict[SSAValue, SSAValue] = dict(zip(old.args, new.args, strict=True))
    *ops, last = region.block.ops
    new.add_ops([op.clone(copies) for op in ops])
    copies.update(zip(branch.results, _copied(last.operands, copies), strict=True))
    new.add_op(scf.YieldOp(*_copied(terminator.operands, copies)))
    copy = scf.ForOp(loop.lb, loop.ub, loop.step, loop.iter_args, new)
    copy.attributes.update(loop.attributes)
    return Region(Block((copy, scf.YieldOp(*copy.results))))


def _copied(values: Sequence[SSAValue], copies: dict[SSAValue, SSAValue]) -> list[SSAValue]:
    return [copies.get(value, value) for value in values]


class UnswitchLoopsPass(PatternPass):
    """Turn loops over branches into branches over loops, for loop-invariant conditions."""

    name = "xla-gpu-unswitch-loops"
    source: ClassVar[str] = 'XLA:GPU emitters, "Building blocks", loop unswitching (XGPU-10)'
    walk: ClassVar[Walk] = Walk(walk_regions_first=True, apply_recursively=True)
    fixed_patterns = (UnswitchLoop(), SplitLoopAtBranch(), SplitLoopAtLoop())
