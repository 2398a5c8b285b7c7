"""
Applies patterns to the operations of a region: by class, in one walk, or until nothing changes.

The same as xDSL's `PatternRewriteWalker` with a `GreedyRewritePatternApplier` without dead code elimination, but an
operation is only looked at by patterns that take its class, and until nothing changes means a worklist of what was
touched, not walks over everything.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial
from typing import TypeAlias, cast, final, overload

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, RewritePattern

from xshardy.ir.fields import operands_of
from xshardy.ir.region_walk import walk_regions
from xshardy.ir.walks import FORWARD, Walk
from xshardy.rewriting.attribute_pattern import HeldAttributesPattern
from xshardy.rewriting.decision_pattern import DecisionPattern
from xshardy.rewriting.observer import RewriteObserver, observer_around
from xshardy.rewriting.operation_index import OperationIndex, index_around
from xshardy.rewriting.pattern import PatternOfPatterns, class_decides, class_test, op_types_of, rewrite_of
from xshardy.rewriting.rewriter import LazyRewriter, MovingRewriter, ReasonListener
from xshardy.rewriting.walk import held_attributes_in, walk_inside
from xshardy.rewriting.worklist import Worklist

Rewrite: TypeAlias = Callable[[Operation, PatternRewriter], None]
"""What a pattern does to an operation of a class that it takes."""


@final
class PatternSet(Sequence[RewritePattern]):
    """
    Patterns, in the order in which they are tried, and those of each class, found when the class is first met.

    Patterns that hold nothing of a module are kept in a set of their own, `then`, so that this is done once for all
    modules; `patterns` are tried before these.
    """

    def __init__(self, patterns: Sequence[RewritePattern], then: "PatternSet | None" = None):
        self._patterns = (*patterns, *(then or ()))
        self.by_class = RewritesByClass(patterns, then)
        self.takes_nothing: bool = not any(map(op_types_of, patterns)) and (then is None or then.takes_nothing)

    @overload
    def __getitem__(self, index: int) -> RewritePattern: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RewritePattern]: ...
    def __getitem__(self, index: int | slice) -> RewritePattern | Sequence[RewritePattern]:
        return self._patterns[index]

    def __len__(self) -> int:
        return len(self._patterns)


@final
class _Takers(dict[type[Operation], tuple[int, ...]]):
    """The positions of the patterns that take a class, found when a class is first met."""

    def __init__(self, patterns: Sequence[RewritePattern]):
        super().__init__()
        self._tests = [class_test(pattern) for pattern in patterns]

    def __missing__(self, op_type: type[Operation]) -> tuple[int, ...]:
        found = self[op_type] = tuple([i for i, takes in enumerate(self._tests) if takes(op_type)])
        return found


_shared_takers: dict[tuple[type[RewritePattern], ...], _Takers] = {}
"""
By the classes of patterns, where these decide what is taken: passes make such patterns anew for each module.

Tests of classes take 0.5 ms of a compilation of 48 ms (of `gelu.hlo`), and 2.9 ms without this. There are as many
entries as passes that have such patterns.
"""


def _takers(patterns: Sequence[RewritePattern]) -> _Takers:
    kinds = tuple(map(type, patterns))
    found = _shared_takers.get(kinds)
    if found is None:
        found = _Takers(patterns)
        if all(map(class_decides, kinds)):
            _shared_takers[kinds] = found
    return found


@final
class RewritesByClass(dict[type[Operation], tuple[Rewrite, ...]]):
    """What the patterns that take a class do, in their order, then those of `then`; found when a class is first met."""

    def __init__(self, patterns: Sequence[RewritePattern], then: PatternSet | None):
        super().__init__()
        self._patterns = patterns
        self._takers = _takers(patterns)
        self._then = None if then is None else then.by_class

    def __missing__(self, op_type: type[Operation]) -> tuple[Rewrite, ...]:
        positions = self._takers[op_type]
        own = tuple([rewrite_of(each) for i in positions for each in _single(self._patterns[i], op_type)])
        found = self[op_type] = own if self._then is None else own + self._then[op_type]
        return found


def _single(pattern: RewritePattern, op_type: type[Operation]) -> Sequence[RewritePattern]:
    """`pattern`, or those that it stands for on operations of `op_type`."""
    return pattern.patterns_of_class(op_type) if isinstance(pattern, PatternOfPatterns) else (pattern,)


class UseListener(ReasonListener):
    """A listener that also records values that may have lost a use: operands of an operation that a pattern changed."""

    def __init__(self) -> None:
        super().__init__()
        self.less_used: list[SSAValue] = []


def rewrite(
    root: Operation | Region,
    patterns: Sequence[RewritePattern],
    walk: Walk = FORWARD,
    listener: PatternRewriterListener | None = None,
    among: Container[Operation] | None = None,
) -> bool:
    """
    Apply `patterns` to the operations in `root`, not to itself. Says whether anything changed.

    On each operation the patterns are tried in order, until one of them changes something. `listener` gets an event
    for every change. With `among`, the walk visits only operations in it; what changes is then visited all the same.
    A `DecisionPattern` that is alone needs no walk of a whole module: its operations are visited in the order of the
    decisions, without a look-up for each. A `HeldAttributesPattern` that is alone is given all operations at once.
    Linear in the operations of `root` and in those that are visited again.
    """
    if not isinstance(patterns, PatternSet):
        patterns = PatternSet([pattern for pattern in patterns if op_types_of(pattern)])
    if patterns.takes_nothing:
        return False
    by_class = patterns.by_class
    only = patterns[0]
    observer = observer_around(root)
    ops: list[Operation]
    if len(patterns) == 1 and isinstance(only, DecisionPattern) and isinstance(root, ModuleOp) and root.parent is None:
        decided = cast(DecisionPattern[Operation, object], only)
        if not walk.apply_recursively and among is None and observer is None:
            return _decided(decided, listener, index_around(root))
        ops = [*decided.decisions]
    elif len(patterns) == 1 and isinstance(only, HeldAttributesPattern) and among is None:
        if observer is not None:
            observer.start_match(only)
        changed = only.rewrite_held(held_attributes_in(root))
        if changed and (index := index_around(root)) is not None:
            index.numbers.clear()
        for told in filter(None, (listener, observer)):
            for op in changed:
                told.handle_operation_modification(op)
        if changed and observer is not None:
            observer.end_match(only, None)
        return bool(changed)
    else:
        ops = walk_regions((root,), walk, by_class) if isinstance(root, Region) else walk_inside(root, walk, by_class)
    if among is not None:
        ops = [op for op in ops if op in among]
    if not ops:
        return False
    index = index_around(root)
    return (_to_fixpoint if walk.apply_recursively else _once)(ops, by_class, listener, index, observer)


def _once(
    ops: Sequence[Operation],
    by_class: RewritesByClass,
    listener: PatternRewriterListener | None,
    index: OperationIndex | None,
    observer: RewriteObserver | None,
) -> bool:
    """Apply the patterns to each of `ops` that is still there when its turn comes."""
    rewriter: MovingRewriter | None = None
    less_used = listener.less_used if isinstance(listener, UseListener) else None
    apply = _apply if observer is None else partial(_apply_observed, observer)
    changed = False
    for op in ops:
        if op.parent is None:
            continue
        if rewriter is None:
            rewriter = _rewriter(op, index, listener, observer)
        operands = operands_of(op)
        if apply(op, by_class[type(op)], rewriter):
            changed = True
            if less_used is not None:
                less_used.extend(operands)
    return changed


def _decided(
    pattern: DecisionPattern[Operation, object], listener: PatternRewriterListener | None, index: OperationIndex | None
) -> bool:
    """Apply `pattern` to each of its operations that is still there when its turn comes."""
    rewriter: MovingRewriter | None = None
    less_used = listener.less_used if isinstance(listener, UseListener) else None
    changed = False
    for op, decision in [*pattern.decisions.items()]:
        if op.parent is None:
            continue
        if rewriter is None:
            rewriter = _rewriter(op, index, listener)
        rewriter.start(op)
        operands = operands_of(op)
        pattern.rewrite(op, decision, rewriter)
        if rewriter.has_done_action:
            rewriter.end()
            changed = True
            if less_used is not None:
                less_used.extend(operands)
    return changed


def _rewriter(
    op: Operation, index: OperationIndex | None, *listeners: PatternRewriterListener | None
) -> MovingRewriter:
    """The rewriter of all matches of a walk, the first of them of `op`, which is in a block."""
    rewriter = MovingRewriter(op, index)
    for listener in filter(None, listeners):
        rewriter.extend_from_listener(listener)
    return rewriter


def _to_fixpoint(
    ops: Sequence[Operation],
    by_class: RewritesByClass,
    listener: PatternRewriterListener | None,
    index: OperationIndex | None,
    observer: RewriteObserver | None,
) -> bool:
    """Apply the patterns to `ops`, and then to what is touched, until nothing is left."""
    worklist = Worklist(ops, by_class)
    rewriter = MovingRewriter(ops[0], index)
    rewriter.operation_insertion_handler.append(worklist.add_around)
    rewriter.operation_modification_handler.append(worklist.add_around)
    rewriter.operation_removal_handler.append(worklist.remove)
    rewriter.operation_replacement_handler.append(worklist.add_users)
    for each in filter(None, (listener, observer)):
        rewriter.extend_from_listener(each)
    apply = _apply if observer is None else partial(_apply_observed, observer)
    changed = False
    while worklist:
        op = worklist.pop()
        if op.parent is None:
            continue
        operands = operands_of(op)
        if apply(op, by_class[type(op)], rewriter):
            changed = True
            if isinstance(listener, UseListener):
                listener.less_used.extend(operands)
            worklist.add_less_used(operands)
    return changed


def _apply(op: Operation, rewrites: Iterable[Rewrite], rewriter: LazyRewriter) -> bool:
    """Try `rewrites` on `op` until one changes something. Says whether one did."""
    for rewrite in rewrites:
        rewriter.start(op)
        rewrite(op, rewriter)
        if rewriter.has_done_action:
            rewriter.end()
            return True
    return False


def _apply_observed(
    observer: RewriteObserver, op: Operation, rewrites: Iterable[Rewrite], rewriter: LazyRewriter
) -> bool:
    """As `_apply`; `observer` is told of each pattern that is tried, and of the one that applies."""
    for rewrite in rewrites:
        pattern: RewritePattern = rewrite.__self__  # pyright: ignore[reportFunctionMemberAccess, reportUnknownMemberType]
        observer.start_match(pattern)
        if _apply(op, (rewrite,), rewriter):
            observer.end_match(pattern, op)
            return True
    return False
