"""Dot products."""

from collections.abc import Mapping
from typing import NamedTuple

from xdsl.ir import Operation

from xshardy.dialects.stablehlo.contraction import DotGeneralOp
from xshardy.dialects.stablehlo.einsum import DotOp
from xshardy.sharding.rules.builder import Factor, Factors, FactorType, Row, Shapes


class DotNumbers(NamedTuple):
    """Pairs of dimensions of the operands: batch dimensions, which the result has too, and contracting dimensions."""

    lhs_batching: tuple[int, ...]
    rhs_batching: tuple[int, ...]
    lhs_contracting: tuple[int, ...]
    rhs_contracting: tuple[int, ...]


def dot_general(shapes: Shapes, numbers: DotNumbers) -> Factors:
    """`([b, i, k], [b, k, j])->([b, i, j]) reduction={k}`: the dimensions of the result, then the contracting ones."""
    lhs, rhs = shapes.operands
    target = 0
    for dim, other in zip(numbers.lhs_batching, numbers.rhs_batching, strict=True):
        yield Factor((dim, other), (target,), lhs[dim])
        target += 1
    for dim, size in enumerate(lhs):
        if dim not in numbers.lhs_batching and dim not in numbers.lhs_contracting:
            yield Factor((dim, None), (target,), size)
            target += 1
    for dim, size in enumerate(rhs):
        if dim not in numbers.rhs_batching and dim not in numbers.rhs_contracting:
            yield Factor((None, dim), (target,), size)
            target += 1
    for dim, other in zip(numbers.lhs_contracting, numbers.rhs_contracting, strict=True):
        yield Factor((dim, other), (None,), lhs[dim], FactorType.REDUCTION)


def dot(shapes: Shapes, parameters: object = ()) -> Factors:
    """`([i, k], [k, j])->([i, j]) reduction={k}`; a vector has only the contracting dimension."""
    lhs, _ = shapes.operands
    return dot_general(shapes, DotNumbers((), (), (len(lhs) - 1,), (0,)))


def _numbers(op: DotGeneralOp) -> DotNumbers:
    numbers = op.dot_dimension_numbers
    return DotNumbers(
        numbers.lhs_batching_dimensions.get_values(),
        numbers.rhs_batching_dimensions.get_values(),
        numbers.lhs_contracting_dimensions.get_values(),
        numbers.rhs_contracting_dimensions.get_values(),
    )


RULES: Mapping[type[Operation], Row] = {
    DotGeneralOp: Row(dot_general, _numbers),
    DotOp: Row(dot),
}
