"""
Applies patterns to the operations of a region: by class, in one walk, or until nothing changes.

The same as xDSL's `PatternRewriteWalker` with a `GreedyRewritePatternApplier` without dead code elimination, but an
operation is only looked at by patterns that take its class, and until nothing changes means a worklist of what was
touched, not walks over everything.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import final

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.worklist import Worklist

from xshardy.rewriting.pattern import op_types_of
from xshardy.rewriting.walk import walk_region
from xshardy.rewriting.walks import FORWARD, Walk


@final
class PatternsByClass(dict[type[Operation], tuple[RewritePattern, ...]]):
    """
    The patterns, in their order, that take operations of a class; found when a class is first met.

    They are looked up under the bases of the class, so the cost does not grow with the number of patterns.
    """

    def __init__(self, patterns: Sequence[RewritePattern]):
        super().__init__()
        self._patterns = patterns
        self._positions: dict[type, list[int]] = {}
        for position, pattern in enumerate(patterns):
            for op_type in op_types_of(pattern):
                self._positions.setdefault(op_type, []).append(position)

    def __missing__(self, op_type: type[Operation]) -> tuple[RewritePattern, ...]:
        positions = {position for base in op_type.__mro__ for position in self._positions.get(base, ())}
        found = tuple(self._patterns[position] for position in sorted(positions))
        self[op_type] = found
        return found


@final
class TouchingRewriter(PatternRewriter):
    """A rewriter that also says which operations it moved."""

    def __init__(self, op: Operation, touched: Callable[[Operation], None]):
        super().__init__(op)
        self._touched = touched

    def inline_block(self, block: Block, insertion_point: InsertPoint, arg_values: Sequence[SSAValue] = ()) -> None:
        moved = tuple(block.ops)
        super().inline_block(block, insertion_point, arg_values)
        for op in moved:
            self._touched(op)


def rewrite(
    root: Operation | Region,
    patterns: Sequence[RewritePattern],
    walk: Walk = FORWARD,
    listener: PatternRewriterListener | None = None,
) -> bool:
    """
    Apply `patterns` to the operations in `root`, not to itself. Says whether anything changed.

    On each operation the patterns are tried in order, until one of them changes something. `listener` is told of every
    change. Linear in the operations of `root` and in those that are visited again.
    """
    by_class = PatternsByClass(patterns)
    regions = (root,) if isinstance(root, Region) else root.regions
    ops = [op for region in regions for op in walk_region(region, walk) if by_class[type(op)]]
    if not ops:
        return False
    return _to_fixpoint(ops, by_class, listener) if walk.apply_recursively else _once(ops, by_class, listener)


def _once(ops: Iterable[Operation], by_class: PatternsByClass, listener: PatternRewriterListener | None) -> bool:
    """Apply the patterns to each of `ops` that is still there when its turn comes."""
    rewriter: PatternRewriter | None = None
    changed = False
    for op in ops:
        if op.parent is None:
            continue
        if rewriter is None:
            rewriter = PatternRewriter(op)
            if listener is not None:
                rewriter.extend_from_listener(listener)
        changed |= _apply(op, by_class[type(op)], rewriter)
    return changed


def _to_fixpoint(ops: Sequence[Operation], by_class: PatternsByClass, listener: PatternRewriterListener | None) -> bool:
    """Apply the patterns to `ops`, and then to what is touched, until nothing is left."""
    worklist: Worklist[Operation] = Worklist()
    for op in reversed(ops):
        worklist.push(op)

    def touch(op: Operation) -> None:
        for inner in op.walk() if op.regions else (op,):
            if by_class[type(inner)]:
                worklist.push(inner)

    def touch_around(op: Operation) -> None:
        """`op`, what it is in, what it reads and what reads it: each may match now."""
        for operand in op.operands:
            if isinstance(operand.owner, Operation):
                touch_alone(operand.owner)
        for result in op.results:
            for use in result.uses:
                touch_alone(use.operation)
        if (parent := op.parent_op()) is not None:
            touch_alone(parent)
        touch(op)

    def touch_alone(op: Operation) -> None:
        if by_class[type(op)]:
            worklist.push(op)

    def on_removal(op: Operation) -> None:
        for inner in op.walk() if op.regions else (op,):
            worklist.remove(inner)
            for operand in inner.operands:
                if isinstance(operand.owner, Operation):
                    touch_alone(operand.owner)
        if (parent := op.parent_op()) is not None:
            touch_alone(parent)

    def on_replacement(op: Operation, values: Sequence[SSAValue | None]) -> None:
        for result in op.results:
            for use in result.uses:
                touch_alone(use.operation)

    rewriter = TouchingRewriter(ops[0], touch)
    rewriter.operation_insertion_handler.append(touch_around)
    rewriter.operation_modification_handler.append(touch_around)
    rewriter.operation_removal_handler.append(on_removal)
    rewriter.operation_replacement_handler.append(on_replacement)
    if listener is not None:
        rewriter.extend_from_listener(listener)
    changed = False
    while worklist:
        op = worklist.pop()
        if op.parent is not None:
            changed |= _apply(op, by_class[type(op)], rewriter)
    return changed


def _apply(op: Operation, patterns: Iterable[RewritePattern], rewriter: PatternRewriter) -> bool:
    """Try `patterns` on `op` until one changes something. Says whether one did."""
    rewriter.has_done_action = False
    for pattern in patterns:
        rewriter.insertion_point = InsertPoint.before(op)
        rewriter.name_hint = None
        pattern.match_and_rewrite(op, rewriter)
        if rewriter.has_done_action:
            return True
    return False
