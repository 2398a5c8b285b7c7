"""The canonicalization patterns of xla_gpu: they simplify indexing maps and compose chains of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i32
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineConstantExpr, AffineDimExpr, AffineExpr, AffineSymExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.affine.expressions import constant, dim, substitute, sym
from xshardy.affine.indexing_map import Constraint, IndexingMap, Variable
from xshardy.affine.spelling import Spelling, spelling
from xshardy.dialects.xla_gpu.attributes import IndexingMapAttr
from xshardy.dialects.xla_gpu.discardable import constant_value, get_range
from xshardy.dialects.xla_gpu.ops import ApplyIndexingOp, LoopOp
from xshardy.rewriting import match_op_type


def _with_dimensions(map: IndexingMap, dims: Sequence[AffineExpr], dimensions: Sequence[Variable]) -> IndexingMap:
    """`map` with `dims[i]` for `d_i`, over the new `dimensions`. A constraint that became true is dropped."""
    symbols = [sym(i) for i in range(len(map.symbols))]
    constraints = [Constraint(substitute(c.expr, dims, symbols), c.bounds) for c in map.constraints]
    return replace(
        map,
        results=tuple(substitute(result, dims, symbols) for result in map.results),
        dimensions=tuple(dimensions),
        constraints=tuple(
            c for c in constraints if not isinstance(c.expr, AffineConstantExpr) or not c.bounds.contains(c.expr.value)
        ),
    )


def _with_constants(map: IndexingMap, constants: Sequence[int | None]) -> tuple[IndexingMap, list[int]]:
    """`map` without the dimensions that have a constant, which takes their place, and the positions of the others."""
    kept = [i for i, value in enumerate(constants) if value is None]
    exprs = [
        variable if value is None else constant(value)
        for variable, value in zip(_closed_up(kept, len(constants)), constants, strict=True)
    ]
    return _with_dimensions(map, exprs, [map.dimensions[i] for i in kept]), kept


def _closed_up(kept: Sequence[int], count: int) -> list[AffineExpr]:
    """What each of `count` dimensions becomes when only the `kept` stay; 0 for the others, which nothing reads."""
    position = {old: new for new, old in enumerate(kept)}
    return [dim(position[i]) if i in position else constant(0) for i in range(count)]


def _change_apply(
    op: ApplyIndexingOp, operands: Sequence[SSAValue], map: IndexingMap, rewriter: PatternRewriter
) -> None:
    op.operands = operands
    op.indexing_map_attr = IndexingMapAttr(map)
    rewriter.notify_op_modified(op)


def _change_loop(op: LoopOp, dims: Sequence[SSAValue], map: IndexingMap, rewriter: PatternRewriter) -> None:
    inits = op.inits
    op.operands = [*dims, *inits]
    op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [len(dims), len(inits)])
    op.indexing_map_attr = IndexingMapAttr(map)
    rewriter.notify_op_modified(op)


# -- Chains of maps ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Folded:
    """A map composed with the maps that give its dimensions, and its new dimensions."""

    map: IndexingMap
    dims: tuple[SSAValue, ...]
    bounds: Mapping[int, Constraint]
    """For each composed dimension, by position: its expression, and the bounds that it had as a dimension."""


def fold_producers(map: IndexingMap, dims: Sequence[SSAValue]) -> Folded | None:
    """
    `map` with the expressions of the `apply_indexing` ops that give its dimensions in place of these dimensions.

    What those read becomes a dimension, unless it is one already. None if no producer can be folded: one with symbols
    waits until they are dimensions.
    """
    position = {value: i for i, value in reversed(list(enumerate(dims)))}
    new_dims, dimensions = list(dims), list(map.dimensions)
    exprs: list[AffineExpr] = [dim(i) for i in range(len(dims))]
    bounds: dict[int, Constraint] = {}
    for i, value in enumerate(dims):
        producer = value.owner
        if not isinstance(producer, ApplyIndexingOp) or producer.symbols or not isinstance(value, OpResult):
            continue
        for read, variable in zip(producer.dims, producer.map.dimensions, strict=True):
            if read not in position:
                position[read] = len(new_dims)
                new_dims.append(read)
                taken = {known.name for known in (*dimensions, *map.symbols)}
                dimensions.append(Variable("", variable.bounds) if variable.name in taken else variable)
        exprs[i] = substitute(producer.map.results[value.index], [dim(position[read]) for read in producer.dims], ())
        bounds[i] = Constraint(exprs[i], map.dimensions[i].bounds)
    return Folded(_with_dimensions(map, exprs, dimensions), tuple(new_dims), bounds) if bounds else None


def _producers_have_one_use(dims: Sequence[SSAValue]) -> bool:
    """Whether nothing else reads any result of the `apply_indexing` ops among `dims`."""
    producers: list[Operation] = [value.owner for value in dims if isinstance(value.owner, ApplyIndexingOp)]
    # An index may have very many uses; the first two decide.
    uses = (chain.from_iterable(result.uses for result in producer.results) for producer in producers)
    return all(len(list(islice(of_producer, 2))) == 1 for of_producer in uses)


MAX_OPERATORS = 64
"""
A map of more operators is not folded into others. Each fold can repeat an inner map once per use of a dimension, so a
chain of reshapes and transposes would double its map with every step.
"""


def _form_to_fold_to(map: IndexingMap, dims: Sequence[SSAValue]) -> IndexingMap | None:
    """
    The map to use in place of `map`, a composition with the producers of `dims`; None if these are not to be folded.

    They are folded if they have no other use, or if this makes the map simpler, and if the map does not get long.
    """
    size = _operators(map)
    if size > 4 * MAX_OPERATORS:  # too long even to be simplified
        return None
    has_one_use = _producers_have_one_use(dims)
    if has_one_use and size <= MAX_OPERATORS:
        return map
    simplified = map.simplify()
    is_simpler = has_one_use or simplified is not map
    return simplified if is_simpler and _operators(simplified) <= MAX_OPERATORS else None


def _operators(map: IndexingMap) -> int:
    """The number of operators in the results and constraints of a map."""
    pending, count = [*map.results, *(c.expr for c in map.constraints)], 0
    while pending:
        if isinstance(expr := pending.pop(), AffineBinaryOpExpr):
            count += 1
            pending += (expr.lhs, expr.rhs)
    return count


class FoldApplyIndexingSequence(RewritePattern):
    """
    `apply(f, apply(g, x))` -> `apply(f of g, x)`, if `apply(g, x)` has no other use, or the new map is simpler.

    `RemoveUnusedVariables` comes first for a map with unused variables: their operands must not be folded.
    """

    @match_op_type
    def match_and_rewrite(self, op: ApplyIndexingOp, rewriter: PatternRewriter, /):
        if op.symbols or op.map.remove_unused_variables()[0] is not op.map:
            return
        folded = fold_producers(op.map, op.dims)
        if folded is not None and (map := _form_to_fold_to(folded.map, op.dims)) is not None:
            _change_apply(op, folded.dims, map, rewriter)


class FoldApplyIndexingIntoLoop(RewritePattern):
    """
    `loop (apply(g, x)) in f` -> `loop (x) in f of g`, if `apply(g, x)` has no other use, or the new map is simpler.

    If `g` can leave the bounds of its dimension, these become a constraint: the loop still skips what is outside.
    """

    @match_op_type
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter, /):
        folded = fold_producers(op.map, op.dims)
        if folded is None:
            return
        map = folded.map
        for c in folded.bounds.values():
            map = map.constrained(c.expr, c.bounds)
        map = _form_to_fold_to(map, op.dims)
        if map is None:
            return
        needed = _needed_dims(folded, map)
        exprs = _closed_up(needed, len(map.dimensions))
        map = _with_dimensions(map, exprs, [map.dimensions[i] for i in needed])
        _change_loop(op, [folded.dims[i] for i in needed], map, rewriter)


def _needed_dims(folded: Folded, map: IndexingMap) -> list[int]:
    """
    The positions of the dimensions of `map`, which is `folded.map` with constraints, that are needed.

    A result or a constraint reads them, or their bounds were narrowed, which the loop checks.
    """
    _, removed, _ = map.remove_unused_variables()
    return [
        i
        for i, (unused, before, now) in enumerate(zip(removed, folded.map.dimensions, map.dimensions, strict=True))
        if not unused or (i not in folded.bounds and before.bounds != now.bounds)
    ]


# -- One map ----------------------------------------------------------------------------------------------------------


class SimplifyMap(RewritePattern):
    """`apply(f)` -> `apply(simplified f)`."""

    @match_op_type
    def match_and_rewrite(self, op: ApplyIndexingOp, rewriter: PatternRewriter, /):
        simplified = op.map.simplify()
        if simplified is not op.map:
            _change_apply(op, op.operands, simplified, rewriter)


class RemoveUnusedVariables(RewritePattern):
    """`apply((d0, d1) -> (d0), a, b)` -> `apply((d0) -> (d0), a)`."""

    @match_op_type
    def match_and_rewrite(self, op: ApplyIndexingOp, rewriter: PatternRewriter, /):
        map, removed_dims, removed_symbols = op.map.remove_unused_variables()
        removed = removed_dims + removed_symbols
        if any(removed):
            operands = [value for value, unused in zip(op.operands, removed, strict=True) if not unused]
            _change_apply(op, operands, map, rewriter)


class SymbolsToDimensions(RewritePattern):
    """`apply((d0)[s0] -> ...)` -> `apply((d0, d1) -> ...)`: in an `apply_indexing` they are the same."""

    @match_op_type
    def match_and_rewrite(self, op: ApplyIndexingOp, rewriter: PatternRewriter, /):
        if op.symbols:
            _change_apply(op, op.operands, op.map.symbols_to_dimensions(), rewriter)


class FoldConstantOperands(RewritePattern):
    """`apply((d0, d1) -> (d0 + d1), a, 3)` -> `apply((d0) -> (d0 + 3), a)`."""

    @match_op_type
    def match_and_rewrite(self, op: ApplyIndexingOp, rewriter: PatternRewriter, /):
        if op.symbols:
            return
        constants = [constant_value(value) for value in op.operands]
        if all(value is None for value in constants):
            return
        map, kept = _with_constants(op.map, constants)
        _change_apply(op, [op.operands[i] for i in kept], map, rewriter)


class FoldResults(RewritePattern):
    """`apply((d0) -> (d0, 4, d0 mod 2), a)` -> `a`, `4`, `apply((d0) -> (d0 mod 2), a)`; unused results go."""

    @match_op_type
    def match_and_rewrite(self, op: ApplyIndexingOp, rewriter: PatternRewriter, /):
        if op.map.is_known_empty:
            return
        replacements: list[SSAValue | None] = [None] * len(op.results)
        constants: list[ConstantOp] = []
        kept: list[int] = []
        for i, (result, expr) in enumerate(zip(op.results, op.map.results, strict=True)):
            if result.first_use is None:
                continue
            match expr:
                case AffineConstantExpr(value):
                    constants.append(ConstantOp(IntegerAttr.from_index_int_value(value)))
                    replacements[i] = constants[-1].result
                case AffineDimExpr(position):
                    replacements[i] = op.dims[position]
                case AffineSymExpr(position):
                    replacements[i] = op.symbols[position]
                case _:
                    kept.append(i)
        if len(kept) == len(op.results):
            return
        new_ops: list[Operation] = [*constants]
        if kept:
            rest = ApplyIndexingOp(op.operands, op.map.with_results(op.map.results[i] for i in kept))
            rest.attributes |= op.attributes
            new_ops.append(rest)
            for i, result in zip(kept, rest.results, strict=True):
                replacements[i] = result
        rewriter.replace(op, new_ops, replacements)


class FoldConstantDimensions(RewritePattern):
    """
    `loop (a, 3) in (d0, d1)...` -> `loop (a) in (d0)...`, where a dimension has one value, within its bounds.

    Symbolic maps are simplified too, as XLA does since they are.
    """

    @match_op_type
    def match_and_rewrite(self, op: LoopOp, rewriter: PatternRewriter, /):
        constants: list[int | None] = []
        for value, variable in zip(op.dims, op.map.dimensions, strict=True):
            interval = get_range(value)
            is_constant = interval is not None and interval.size == 1 and variable.bounds.contains(interval.lower)
            constants.append(interval.lower if interval is not None and is_constant else None)
        if all(value is None for value in constants):
            return
        map, kept = _with_constants(op.map, constants)
        map = map.simplify() if spelling() is Spelling.SYMBOLIC else map
        _change_loop(op, [op.dims[i] for i in kept], map, rewriter)


APPLY_INDEXING_PATTERNS: tuple[RewritePattern, ...] = (
    FoldConstantOperands(),
    FoldResults(),
    FoldApplyIndexingSequence(),
    SymbolsToDimensions(),
    RemoveUnusedVariables(),
    SimplifyMap(),
)

PATTERNS: Mapping[type[Operation], tuple[RewritePattern, ...]] = {
    ApplyIndexingOp: APPLY_INDEXING_PATTERNS,
    LoopOp: (FoldConstantDimensions(), FoldApplyIndexingIntoLoop()),
}
"""What `canonicalize` applies. The operations name this table by `CanonicalizedBy`."""
