"""Patterns of scf: branches and loops whose course is known, and results and iteration arguments that nobody needs."""

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.ir.blocks import erase_arguments
from xshardy.ir.fields import operands_of
from xshardy.ir.region_walk import walk_regions
from xshardy.ir.walks import FORWARD
from xshardy.rewriting import match_op_type
from xshardy.transforms.canonicalization.constants import integer_of


def yielded(region: Region) -> Sequence[SSAValue]:
    """What the `scf.yield` at the end of a region of one block yields; nothing if the region is empty."""
    block = region.blocks.first
    return block.last_op.operands if block is not None and block.last_op is not None else ()


def inline(op: Operation, block: Block, arguments: Sequence[SSAValue], rewriter: PatternRewriter) -> None:
    """Put the operations of `block` in place of `op`, with its results being what the block yields."""
    terminator = block.last_op
    assert terminator is not None
    results = terminator.operands
    rewriter.inline_block(block, InsertPoint.before(op), arguments)
    # What was yielded may have been an argument of the block: read the operands again.
    results = terminator.operands
    rewriter.erase(terminator)
    rewriter.replace(op, (), results)


def is_outside(value: SSAValue, op: Operation) -> bool:
    """Whether `value` is defined outside the regions of `op`."""
    owner = value.owner
    around: Operation | None = owner if isinstance(owner, Operation) else owner.parent_op()
    while around is not None:
        if around is op:
            return False
        around = around.parent_op()
    return True


# -- scf.if -----------------------------------------------------------------------------------------------------------


class IfOfConstant(RewritePattern):
    """`if true { a } else { b }` -> `a`"""

    @match_op_type
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter, /):
        condition = integer_of(op.cond)
        if condition is None:
            return
        block = (op.true_region if condition else op.false_region).blocks.first
        if block is None:
            rewriter.erase(op)
        else:
            inline(op, block, (), rewriter)


class IfToSelect(RewritePattern):
    """`if c { yield x } else { yield y }` -> `select c, x, y`, for the results whose two values are defined outside."""

    @match_op_type
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter, /):
        pairs = list(zip(yielded(op.true_region), yielded(op.false_region), strict=False))
        outside = [all(is_outside(value, op) for value in pair) for pair in pairs]
        if not any(outside):
            return
        selects = [arith.SelectOp(op.cond, *pair) for pair, movable in zip(pairs, outside, strict=True) if movable]
        rewriter.insert(selects, InsertPoint.before(op))
        kept = _without_results(op, [not movable for movable in outside], rewriter)
        selected, remaining = (select.result for select in selects), iter(kept.results)
        rewriter.replace(op, (), [next(selected) if movable else next(remaining) for movable in outside])


class UnusedIfResults(RewritePattern):
    """Results that nothing uses are not yielded."""

    @match_op_type
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter, /):
        used = [result.first_use is not None for result in op.results]
        if all(used):
            return
        kept = _without_results(op, used, rewriter)
        remaining = iter(kept.results)
        rewriter.replace(op, (), [next(remaining) if keep else None for keep in used])


def _without_results(op: scf.IfOp, kept: Sequence[bool], rewriter: PatternRewriter) -> scf.IfOp:
    """A new `scf.if` before `op`, with its regions, that yields only the values marked `kept`."""
    for region in (op.true_region, op.false_region):
        block = region.blocks.first
        if block is not None and isinstance(block.last_op, scf.YieldOp):
            terminator = block.last_op
            terminator.operands = [value for value, keep in zip(terminator.operands, kept, strict=True) if keep]
            rewriter.notify_op_modified(terminator)
    types = [result.type for result, keep in zip(op.results, kept, strict=True) if keep]
    regions = [rewriter.move_region_contents_to_new_regions(region) for region in (op.true_region, op.false_region)]
    if not types and not _has_work(regions[1]):
        _erase_blocks(regions[1], rewriter)
    new = scf.IfOp(op.cond, types, regions[0], regions[1], dict(op.attributes))
    rewriter.insert(new, InsertPoint.before(op))
    return new


def _has_work(region: Region) -> bool:
    block = region.blocks.first
    return block is not None and block.first_op is not block.last_op


def _erase_blocks(region: Region, rewriter: PatternRewriter) -> None:
    """Leave nothing of `region`. Its operations are erased one by one, so that listeners know."""
    for block in tuple(region.blocks):
        for op in reversed(tuple(block.ops)):
            rewriter.erase(op)
        region.detach_block(block).erase()


class EmptyElse(RewritePattern):
    """`if c { a } else {}` -> `if c { a }`"""

    @match_op_type
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter, /):
        if op.results or not op.false_region.blocks or _has_work(op.false_region):
            return
        _erase_blocks(op.false_region, rewriter)
        rewriter.notify_op_modified(op)


class ConditionInBranches(RewritePattern):
    """In `if c { a } else { b }`, `c` is true in `a` and false in `b`."""

    @match_op_type
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter, /):
        condition = op.cond
        if condition.has_one_use() or integer_of(condition) is not None:
            return
        for region, value in ((op.true_region, 1), (op.false_region, 0)):
            # The time depends on the region, and not on how many others read the condition.
            users = [
                inner
                for inner in walk_regions((region,), FORWARD)
                if any(operand is condition for operand in operands_of(inner))
            ]
            if not users:
                continue
            constant = arith.ConstantOp(IntegerAttr(value, i1))
            rewriter.insert(constant, InsertPoint.before(op))
            for user in users:
                user.operands = [constant.result if operand is condition else operand for operand in user.operands]
                rewriter.notify_op_modified(user)


class NestedIfs(RewritePattern):
    """`if c { if d { a } }` -> `if (c and d) { a }`"""

    @match_op_type
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter, /):
        block = op.true_region.block
        inner = block.first_op
        if op.false_region.blocks or not isinstance(inner, scf.IfOp) or inner.next_op is not block.last_op:
            return
        if inner.false_region.blocks or inner.attributes:
            return
        both = arith.AndIOp(op.cond, inner.cond)
        body = rewriter.move_region_contents_to_new_regions(inner.true_region)
        rewriter.replace(op, (both, scf.IfOp(both, (), body, attr_dict=dict(op.attributes))))


# -- scf.for ----------------------------------------------------------------------------------------------------------


class KnownTripCount(RewritePattern):
    """A loop that never runs -> its initial values; one that runs once -> its body."""

    @match_op_type
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /):
        if op.lb is op.ub:
            rewriter.replace(op, (), op.iter_args)
            return
        lower, upper, step = (integer_of(bound) for bound in (op.lb, op.ub, op.step))
        if lower is None or upper is None:
            return
        if upper <= lower:
            rewriter.replace(op, (), op.iter_args)
        elif step is not None and upper - lower <= step:
            inline(op, op.body.block, (op.lb, *op.iter_args), rewriter)


class UnneededIterationArguments(RewritePattern):
    """
    An iteration argument goes if it stays what it was, or if neither the loop nor what follows reads it.

    It stays what it was if the loop yields the argument itself, or its initial value.
    """

    @match_op_type
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /):
        block = op.body.block
        terminator = block.last_op
        if not op.results or not isinstance(terminator, scf.YieldOp):
            return
        arguments = block.args[1:]
        columns = list(zip(op.iter_args, arguments, terminator.operands, op.results, strict=True))
        constant = [result is argument or result is init for init, argument, result, _ in columns]
        unread = [
            argument.first_use is None and after.first_use is None and not fixed
            for (_, argument, _, after), fixed in zip(columns, constant, strict=True)
        ]
        kept = [not (fixed or idle) for fixed, idle in zip(constant, unread, strict=True)]
        if all(kept):
            return
        for (init, argument, _, _), fixed in zip(columns, constant, strict=True):
            if fixed:
                rewriter.replace_all_uses_with(argument, init)
        terminator.operands = [result for (_, _, result, _), keep in zip(columns, kept, strict=True) if keep]
        erase_arguments(block, [argument for argument, keep in zip(arguments, kept, strict=True) if not keep])
        inits = [init for (init, _, _, _), keep in zip(columns, kept, strict=True) if keep]
        body = rewriter.move_region_contents_to_new_regions(op.body)
        new = scf.ForOp(op.lb, op.ub, op.step, inits, body)
        new.attributes |= op.attributes
        remaining = iter(new.res)
        results = [
            next(remaining) if keep else init if fixed else None
            for (init, _, _, _), keep, fixed in zip(columns, kept, constant, strict=True)
        ]
        rewriter.replace(op, new, results)


# -- the others -------------------------------------------------------------------------------------------------------


class SwitchOfConstant(RewritePattern):
    """`index_switch 1 case 1 { a } default { b }` -> `a`"""

    @match_op_type
    def match_and_rewrite(self, op: scf.IndexSwitchOp, rewriter: PatternRewriter, /):
        chosen = integer_of(op.arg)
        if chosen is None:
            return
        regions = dict(zip(op.cases.iter_values(), op.case_regions, strict=True))
        inline(op, regions.get(chosen, op.default_region).block, (), rewriter)


class ExecuteRegionOfOneBlock(RewritePattern):
    """`execute_region { a }` -> `a`, for a region of one block."""

    @match_op_type
    def match_and_rewrite(self, op: scf.ExecuteRegionOp, rewriter: PatternRewriter, /):
        block = op.region.blocks.first
        if block is not None and block is op.region.blocks.last:
            inline(op, block, (), rewriter)


PATTERNS: Sequence[RewritePattern] = (
    IfOfConstant(),
    UnusedIfResults(),
    IfToSelect(),
    EmptyElse(),
    ConditionInBranches(),
    NestedIfs(),
    KnownTripCount(),
    UnneededIterationArguments(),
    SwitchOfConstant(),
    ExecuteRegionOfOneBlock(),
)
