"""Affine indexing maps of operations as indices of views."""

from collections.abc import Sequence

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from xshardy.affine.indexing_map import IndexingMap
from xshardy.proving.index import UNLIMITED, Index, combine, digit_of, number, whole
from xshardy.proving.kernel import Undecided


def sizes_of(map: IndexingMap) -> tuple[int, ...]:
    """The sizes of the dimensions of a map, then those of its range variables."""
    return tuple(variable.bounds.upper + 1 for variable in (*map.dimensions, *map.ranges))


def indices_of(map: IndexingMap) -> tuple[Index, ...]:
    """
    The results of `map` as indices of the space of its dimensions and range variables.

    Raises `Undecided` for one that is no sum of digits.
    """
    sizes = sizes_of(map)
    return tuple(_index_of(expr, len(map.dimensions), sizes) for expr in map.results)


def _index_of(expr: AffineExpr, dims: int, sizes: Sequence[int]) -> Index:
    match expr:
        case AffineConstantExpr(value):
            return number(value)
        case AffineDimExpr(position):
            return whole(position, sizes[position])
        case AffineSymExpr(position):
            return whole(dims + position, sizes[dims + position])
        case AffineBinaryOpExpr(AffineBinaryOpKind.Add, lhs, rhs):
            return combine((1, _index_of(lhs, dims, sizes)), (1, _index_of(rhs, dims, sizes)))
        case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, lhs, AffineConstantExpr(factor)):
            return combine((factor, _index_of(lhs, dims, sizes)))
        case AffineBinaryOpExpr(AffineBinaryOpKind.FloorDiv, lhs, AffineConstantExpr(divisor)):
            if (found := digit_of(_index_of(lhs, dims, sizes), divisor, UNLIMITED)) is not None:
                return found
        case _:
            pass
    raise Undecided(f"the index {expr} is no sum of digits")
