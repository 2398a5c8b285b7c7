"""Collectives in the input program: dimensions along which data is moved need replication."""

from collections.abc import Iterable, Mapping

from xdsl.ir import Operation

from xshardy.dialects.stablehlo.collectives import (
    AllGatherOp,
    AllReduceOp,
    AllToAllOp,
    CollectiveBroadcastOp,
    CollectivePermuteOp,
    CrossReplicaSumOp,
    ReduceScatterOp,
)
from xshardy.sharding.rules.builder import Factors, FactorType, Row, Shapes, pointwise


def moves_along(shapes: Shapes, dims: Iterable[int]) -> Factors:
    """`([i, j])->([i, k]) need_replication={j, k}`: each of `dims` has a factor in operands, and one in results."""
    moved = tuple(dict.fromkeys(dims))
    operand, result = shapes.operands[0], shapes.results[0]
    for dim, size in enumerate(operand):
        if dim not in moved:
            yield shapes.factor(dim, size)
    for dim in moved:
        yield shapes.operand_factor(dim, operand[dim], FactorType.NEED_REPLICATION)
        yield shapes.result_factor(dim, result[dim], FactorType.NEED_REPLICATION)


def _gathered(op: AllGatherOp) -> tuple[int, ...]:
    return (op.all_gather_dim.value.data,)


def _split_and_concatenated(op: AllToAllOp) -> tuple[int, ...]:
    return op.split_dimension.value.data, op.concat_dimension.value.data


def _scattered(op: ReduceScatterOp) -> tuple[int, ...]:
    return (op.scatter_dimension.value.data,)


RULES: Mapping[type[Operation], Row] = {
    AllGatherOp: Row(moves_along, _gathered),
    AllReduceOp: Row(pointwise),
    AllToAllOp: Row(moves_along, _split_and_concatenated),
    CollectiveBroadcastOp: Row(pointwise),
    CollectivePermuteOp: Row(pointwise),
    CrossReplicaSumOp: Row(pointwise),
    ReduceScatterOp: Row(moves_along, _scattered),
}
