"""Squares of narrow elements: read from shared memory row by row, four bytes each, and traversed by columns."""

from collections.abc import Sequence

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, BoolAttr, IndexType, TensorType, VectorType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.utils.hints import isa

from xshardy.affine.expressions import dim, substitute, sym, used_variables
from xshardy.affine.indexing_map import Constraint, IndexingMap
from xshardy.dialects.extensions.vector import FromElementsOp
from xshardy.emitters.elemental.kinds import element_type_of
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices


def square_and_elements(map: IndexingMap, square: Sequence[AffineExpr]) -> tuple[IndexingMap, IndexingMap]:
    """
    Split the loop over `map` in two: the outer one over the first range variable, the inner one over the others.

    The outer loop has the results `square`. In the inner loop, the outer variable is the last dimension. Constraints on
    no inner variable move to the outer loop.
    """
    around = [c for c in map.constraints if used_variables(c.expr)[1] <= {0}]
    outer = IndexingMap(tuple(square), map.dimensions, map.ranges[:1], constraints=tuple(around))
    dims = [dim(i) for i in range(len(map.dimensions))]
    symbols = [dim(len(dims)), *(sym(i) for i in range(len(map.ranges) - 1))]
    inner = IndexingMap(
        tuple(substitute(result, dims, symbols) for result in map.results),
        (*map.dimensions, map.ranges[0]),
        map.ranges[1:],
        constraints=tuple(
            Constraint(substitute(c.expr, dims, symbols), c.bounds) for c in map.constraints if c not in around
        ),
    )
    return outer, inner


def read_square(s: Scalars, tile: SSAValue, indices: Indices, size: int) -> SSAValue:
    """
    The square of `size` by `size` elements whose first row starts at `indices`; the first index counts the rows.

    Gives a vector of two dimensions; the first one is the column in the tile.
    """
    assert isa(tile.type, TensorType)
    element = element_type_of(tile.type)
    row_type = VectorType(element, [size])
    padding = s.constant(0, element)
    along = AffineMapAttr(AffineMap(len(indices), 0, (dim(len(indices) - 1),)))
    first, *others = indices
    rows: list[SSAValue] = []
    for i in range(size):
        at = (s(arith.AddiOp(first, s.constant(i, IndexType()))) if i else first, *others)
        in_bounds = ArrayAttr([BoolAttr.from_bool(True)])
        rows.append(s(vector.TransferReadOp(tile, at, padding, row_type, in_bounds, along)))
    turned = [s(vector.ExtractOp(row, [i], element)) for i in range(size) for row in rows]
    return s(FromElementsOp(turned, VectorType(element, [size, size])))


def element_of(s: Scalars, square: SSAValue, numbers: Indices) -> SSAValue:
    """The element of a square at this column and row of the tile."""
    assert isa(square.type, VectorType)
    return s(vector.ExtractOp(square, numbers, square.type.element_type))
