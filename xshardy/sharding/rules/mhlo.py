"""Operations of MHLO."""

from collections.abc import Mapping
from typing import NamedTuple

from xdsl.ir import Operation

from xshardy.dialects.mhlo import CopyOp, RaggedDotOp, TopKOp
from xshardy.sharding.rules.builder import Dim, Factor, Factors, FactorType, Row, Shapes, pointwise
from xshardy.sharding.rules.custom_calls import top_k
from xshardy.sharding.rules.dots import DotNumbers


class RaggedDotNumbers(NamedTuple):
    """The dimensions of a dot product, the ragged dimension of `lhs`, and the dimensions of groups in `rhs`."""

    dot: DotNumbers
    ragged: int
    groups: tuple[int, ...]


def ragged_dot(shapes: Shapes, numbers: RaggedDotNumbers) -> Factors:
    """
    `([b, i, k], [g, b, k, j], [b, g])->([b, i, j]) reduction={k} need_replication={i, g}` if the ragged dimension is
    one of rows; `([b, i, k], [b, k, j], [b, g])->([g, b, i, j]) need_replication={k, g}` if of summands;
    `([b, i, k], [b, k, j], [g])->([b, i, j]) reduction={k}` if of batches.

    Group sizes also have the dimensions of `lhs` before the ragged one, if they are no vector: rows after batches,
    or summands after batches.
    """
    lhs, rhs, sizes = shapes.operands
    dot, ragged, groups = numbers
    of_batches, of_summands = ragged in dot.lhs_batching, ragged in dot.lhs_contracting
    rows = [dim for dim in range(len(lhs)) if dim not in (*dot.lhs_batching, *dot.lhs_contracting)]
    targets = iter(range(1 if of_summands else 0, len(shapes.results[0])))
    # A vector of sizes is the same for all indices of the dimensions before the ragged one.
    outer = [] if of_batches else [*dot.lhs_batching, *(dot.lhs_contracting if of_summands else rows)]
    outer = outer[: len(sizes) - 1]

    def factor(dim: int, other: Dim, target: Dim, type: FactorType) -> Factor:
        if dim == ragged and not of_batches:
            type = FactorType.NEED_REPLICATION
        return Factor((dim, other, outer.index(dim) if dim in outer else None), (target,), lhs[dim], type)

    for dim, other in zip(dot.lhs_batching, dot.rhs_batching, strict=True):
        yield factor(dim, other, next(targets), FactorType.PASS_THROUGH)
    for dim in rows:
        yield factor(dim, None, next(targets), FactorType.PASS_THROUGH)
    for dim, size in enumerate(rhs):
        if dim not in (*dot.rhs_batching, *dot.rhs_contracting, *groups):
            yield Factor((None, dim, None), (next(targets),), size)
    for dim, other in zip(dot.lhs_contracting, dot.rhs_contracting, strict=True):
        yield factor(dim, other, None, FactorType.REDUCTION)
    if not of_batches:
        of_groups = (None, groups[0] if groups else None, len(sizes) - 1)
        yield Factor(of_groups, (0 if of_summands else None,), sizes[-1], FactorType.NEED_REPLICATION)


def _numbers(op: RaggedDotOp) -> RaggedDotNumbers:
    numbers = op.numbers
    return RaggedDotNumbers(
        DotNumbers(
            numbers.lhs_batching_dimensions.get_values(),
            numbers.rhs_batching_dimensions.get_values(),
            numbers.lhs_contracting_dimensions.get_values(),
            numbers.rhs_contracting_dimensions.get_values(),
        ),
        op.ragged_dimension(),
        numbers.rhs_group_dimensions.get_values(),
    )


def _top_k(shapes: Shapes, parameters: object) -> Factors:
    return top_k(shapes)


RULES: Mapping[type[Operation], Row] = {
    CopyOp: Row(pointwise),
    RaggedDotOp: Row(ragged_dot, _numbers),
    TopKOp: Row(_top_k),
}
