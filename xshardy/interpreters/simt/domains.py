"""
The promises that a kernel makes on its integers: `xla.range`, and the domain of an `apply_indexing`.

Passes rely on them, so the use of a value for which one is broken is an error, even if the value happens to be right.
An `xla_gpu.loop` makes no promise: its domain decides which iterations run. Source: rows XGPU-23, XGPU-24, XGPU-27,
XGPU-30.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from xdsl.dialects import func
from xdsl.ir import Operation
from xdsl.ir.affine import AffineBinaryOpKind, AffineExpr

from xshardy.affine import expressions
from xshardy.affine.indexing_map import IndexingMap
from xshardy.affine.interval import Interval
from xshardy.dialects.xla_gpu.discardable import stated_range
from xshardy.interpreters.simt.errors import shown
from xshardy.interpreters.simt.memory import Value
from xshardy.interpreters.simt.unspecified import Cause, Threads, plain, unspecified
from xshardy.numerics.element_types import Array
from xshardy.numerics.integers import signed

AFFINE_OPERATORS: Mapping[AffineBinaryOpKind, Callable[[Array, Array], Array]] = {
    AffineBinaryOpKind.Add: np.add,
    AffineBinaryOpKind.Mul: np.multiply,
    AffineBinaryOpKind.Mod: np.mod,
    AffineBinaryOpKind.FloorDiv: np.floor_divide,
    AffineBinaryOpKind.CeilDiv: lambda x, y: -(-x // y),
    expressions.MAX: np.maximum,
    expressions.MIN: np.minimum,
}


def evaluate(expr: AffineExpr, dims: Sequence[Array], symbols: Sequence[Array]) -> Array:
    """The value of `expr` in each lane."""
    return expressions.evaluate(expr, dims, symbols, constant, AFFINE_OPERATORS)


def constant(number: int) -> Array:
    return np.array([[number]])


def is_within(value: Array, bounds: Interval) -> Array:
    return (value >= bounds.lower) & (value <= bounds.upper)


def is_in_domain(map: IndexingMap, dims: Sequence[Array], symbols: Sequence[Array]) -> Array:
    """Whether each lane is at a point of the domain. Precondition: the symbols are in their bounds."""
    result = np.array([[True]])
    for value, bounds in zip(dims, map.dimension_intervals, strict=True):
        result = result & is_within(value, bounds)
    for constraint in map.constraints:
        result = result & is_within(evaluate(constraint.expr, dims, symbols), constraint.bounds)
    return result


def in_domain(
    lanes: Threads,
    op: Operation,
    map: IndexingMap,
    dims: Sequence[Array],
    symbols: Sequence[Array],
    results: list[Array],
) -> list[Array]:
    """`results` of `map`, which `op` applies: unspecified in the active lanes that are not at a point of its domain."""
    variables = (*map.dimensions, *map.symbols)  # there are no constraints, which the verifier ensures
    numbers = (*(f"d{i}" for i in range(len(dims))), *(f"s{i}" for i in range(len(symbols))))
    for variable, number, value in zip(variables, numbers, (*dims, *symbols), strict=True):
        name = variable.name or number
        if (cause := _broken(lanes, lambda name=name: f"{name} of {shown(op)}", value, variable.bounds)) is not None:
            results = [unspecified(result, cause.where, [cause]) for result in results]
    return results


def in_range(lanes: Threads, name: Callable[[], str], value: Value, bounds: Interval) -> Value:
    """`value`, which messages call `name`: unspecified in the active lanes where it is outside of its `xla.range`."""
    if not isinstance(value, np.ndarray):
        return value
    cause = _broken(lanes, name, signed(value), bounds)
    return value if cause is None else unspecified(value, cause.where, [cause])


def result_name(op: Operation) -> str:
    """What messages call the result of `op`."""
    return f"the result of {shown(op)}"


def argument_ranges(function: func.FuncOp) -> tuple[tuple[int, Interval], ...]:
    """The arguments of `function` with an `xla.range`, by number."""
    ranges = ((number, stated_range(argument)) for number, argument in enumerate(function.args))
    return tuple((number, bounds) for number, bounds in ranges if bounds is not None)


def _broken(lanes: Threads, name: Callable[[], str], value: Array, bounds: Interval) -> Cause | None:
    value = plain(value)
    outside = ~is_within(value, bounds)
    if not outside.any():
        return None
    outside = outside & lanes.on_vector(lanes.active, outside.ndim)
    return Cause(name(), value, bounds, outside) if outside.any() else None
