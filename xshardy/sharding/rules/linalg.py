"""
Structured operations of linalg: their loops are written down, and indexing maps say which dimensions they walk.

`from_indexing_maps` serves any operation that is described in this way.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.linalg import Linalg
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Operation
from xdsl.ir.affine import AffineDimExpr, AffineMap

from xshardy.sharding.rules.builder import Dim, Factor, Factors, FactorType, Row, Shapes

FACTOR_TYPES: Mapping[IteratorType, FactorType] = {
    IteratorType.PARALLEL: FactorType.PASS_THROUGH,
    IteratorType.REDUCTION: FactorType.REDUCTION,
    IteratorType.WINDOW: FactorType.NEED_REPLICATION,
}


class Loops(NamedTuple):
    """From the loops to the dimensions of each operand and then of each result, and what kind each loop is."""

    maps: tuple[AffineMap, ...]
    types: tuple[FactorType, ...]


def from_indexing_maps(shapes: Shapes, loops: Loops) -> Factors | None:
    """
    `(d0, d1, d2) -> (d0, d2)` -> `[i, k]`: a factor per loop, as large as the dimensions that are walked by it alone.

    A dimension that several loops walk together, such as `d0 + d1`, follows none of them. There is no rule for
    operations on buffers, which have no results.
    """
    return _factors(shapes, loops) if shapes.results else None


def _factors(shapes: Shapes, loops: Loops) -> Factors:
    count = len(shapes.operands)
    for loop, type in enumerate(loops.types):
        dims = [_dim_of(loop, map) for map in loops.maps]
        pairs = zip((*shapes.operands, *shapes.results), dims, strict=True)
        if sizes := [shape[dim] for shape, dim in pairs if dim is not None]:
            yield Factor(dims[:count], dims[count:], sizes[0], type)


def _dim_of(loop: int, map: AffineMap) -> Dim:
    """The first dimension that `loop` walks alone."""
    own = AffineDimExpr(loop)
    return next((dim for dim, expression in enumerate(map.results) if expression == own), None)


def _loops(op: LinalgStructuredOperation) -> Loops:
    """The results of `op` are its updated outputs, the last of its operands."""
    maps = [map.data for map in op.get_indexing_maps()]
    return Loops(
        (*maps, *_last(maps, len(op.results))),
        tuple(FACTOR_TYPES[kind.data] for kind in op.get_iterator_types()),
    )


def _last(maps: Sequence[AffineMap], count: int) -> Sequence[AffineMap]:
    return maps[len(maps) - count :]


RULES: Mapping[type[Operation], Row] = {
    operation: Row(from_indexing_maps, _loops)
    for operation in Linalg.operations
    if issubclass(operation, LinalgStructuredOperation)
}
