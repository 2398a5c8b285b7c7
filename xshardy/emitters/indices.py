"""Emission of indexing maps: the results of a map at given indices, and the test of its domain."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from xshardy.affine.indexing_map import IndexingMap
from xshardy.affine.interval import Interval
from xshardy.dialects.xla_gpu.ops import ApplyIndexingOp, LoopOp, YieldOp
from xshardy.emitters.elemental.scalars import Scalars

Indices = tuple[SSAValue, ...]
"""One index per dimension."""


def apply_map(s: Scalars, map: IndexingMap, dims: Sequence[SSAValue], symbols: Sequence[SSAValue] = ()) -> Indices:
    """The results of `map` at `dims` and `symbols`. Precondition: the point is in the domain."""
    if map.symbols:
        map, dims = map.symbols_to_dimensions(), [*dims, *symbols]
    return tuple(_apply_expr(s, map, expr, dims) for expr in map.results)


def _apply_expr(s: Scalars, map: IndexingMap, expr: AffineExpr, dims: Sequence[SSAValue]) -> SSAValue:
    match expr:
        case AffineConstantExpr(value):
            return s.constant(value, IndexType())
        case AffineDimExpr(position):
            return dims[position]
        case _:
            single, unused, _ = replace(map, results=(expr,), constraints=()).remove_unused_variables()
            return s(ApplyIndexingOp([d for d, skip in zip(dims, unused, strict=True) if not skip], single))


def in_domain(s: Scalars, map: IndexingMap, shape: Sequence[int], dims: Sequence[SSAValue]) -> SSAValue:
    """Whether `dims`, indices of a tensor of this shape, are in the domain of `map`, as an i1. `map` has no symbols."""
    return s.all_of(domain_checks(s, map, shape, dims))


def domain_checks(s: Scalars, map: IndexingMap, shape: Sequence[int], dims: Sequence[SSAValue]) -> list[SSAValue]:
    """
    The i1 conditions whose conjunction is `in_domain`; possibly none.

    Omits what follows from the shape or from the other conditions.
    """
    everywhere = replace(
        map,
        dimensions=tuple(
            replace(variable, bounds=Interval.of_size(size))
            for variable, size in zip(map.dimensions, shape, strict=True)
        ),
    )
    checks: list[SSAValue] = []
    known = everywhere.simplify().dimensions
    for index, variable, implied in zip(dims, map.dimensions, known, strict=True):
        checks += _bounds_checks(s, index, variable.bounds, implied.bounds)
    for c in map.constraints:
        value = _apply_expr(s, everywhere, c.expr, dims)
        checks += _bounds_checks(s, value, c.bounds, everywhere.range_of(c.expr))
    return checks


def _bounds_checks(s: Scalars, index: SSAValue, bounds: Interval, known: Interval) -> list[SSAValue]:
    """The comparisons for `index in bounds` that do not follow from `index in known`: at most two."""
    if bounds.is_point and bounds != known:
        return [s.compare("eq", index, bounds.lower)]
    checks: list[SSAValue] = []
    if bounds.lower > known.lower:
        checks.append(s.compare("sge", index, bounds.lower))
    if bounds.upper < known.upper:
        checks.append(s.compare("sle", index, bounds.upper))
    return checks


LoopBody = Callable[[Scalars, Indices, Indices, Sequence[SSAValue]], Sequence[SSAValue]]
"""Takes the induction variables, the results of the map and the carried values; returns the next carried values."""


def loop_over(
    s: Scalars, map: IndexingMap, dims: Sequence[SSAValue], inits: Sequence[SSAValue], body: LoopBody
) -> tuple[SSAValue, ...]:
    """
    `xla_gpu.loop` over the points of `map` at `dims`; returns the carried values.

    Emits no loop for an empty domain. A range variable with a single value is passed to `body` as a constant.
    """
    if map.is_known_empty:
        return tuple(inits)
    values = {i: variable.bounds.lower for i, variable in enumerate(map.ranges) if variable.bounds.is_point}
    constants = {i: arith.ConstantOp(IntegerAttr(value, IndexType())) for i, value in values.items()}
    loop = LoopOp(dims, map.bind({}, values), inits)
    s.builder.insert(loop)
    variables = iter(loop.induction_vars)
    ivs = tuple(constants[i].result if i in constants else next(variables) for i in range(len(map.ranges)))
    inner = Scalars.at_end(loop.body.block)
    carried = body(inner, ivs, tuple(loop.map_results), loop.iter_args)
    inner.builder.insert(YieldOp(*carried))
    Rewriter.insert_op([op for op in constants.values() if op.result.uses], InsertPoint.at_start(loop.body.block))
    return tuple(loop.results)
