"""Rules for ops that newer ones have replaced, and that older programs still have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.ir import Operation

from xshardy.axes.grid import Grid, Group
from xshardy.dialects import stablehlo
from xshardy.interpreters.stablehlo.calls import Execution
from xshardy.interpreters.stablehlo.collectives import groups_in, meet, own_group
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.reductions import contraction_type
from xshardy.interpreters.stablehlo.rules import Rule
from xshardy.numerics.conversions import convert
from xshardy.numerics.element_types import Array, numpy_dtype
from xshardy.numerics.integers import native


def broadcast(evaluator: Evaluator, op: stablehlo.BroadcastOp, x: Array) -> Array:
    """New dimensions in front."""
    return np.broadcast_to(x, (*op.broadcast_sizes.get_values(), *x.shape))


def einsum(evaluator: Evaluator, op: stablehlo.EinsumOp | stablehlo.UnaryEinsumOp, *operands: Array) -> Array:
    dtype = numpy_dtype(op.result.type)
    working = contraction_type(dtype)
    summed = np.einsum(op.einsum_config.data, *(convert(x, working) for x in operands))
    return convert(np.asarray(summed, working), dtype)


def torch_index_select(evaluator: Evaluator, op: stablehlo.TorchIndexSelectOp, x: Array, index: Array) -> Array:
    """
    The first `batch_dims` dimensions belong together. Indices are clamped, as those of the gather that replaces the op.
    """
    dim, batches = op.dim.value.data, op.batch_dims.value.data
    places = np.clip(native(index), 0, x.shape[dim] - 1).astype(np.int64)
    result = np.empty(op.result.type.get_shape(), x.dtype)
    for place in np.ndindex(x.shape[:batches]):
        result[place] = np.take(x[place], places[place], axis=dim - batches)
    return result


def groups_of_replicas(op: stablehlo.CrossReplicaSumOp, grid: Grid) -> Sequence[Group]:
    return grid.cross_replica(groups_in(op, op.replica_groups, grid.replicas, grid))


def cross_replica_sum(evaluator: Evaluator, op: stablehlo.CrossReplicaSumOp, x: Array) -> Execution:
    """Sums in the order of the devices of the group."""
    meeting = yield from meet(evaluator, op, own_group(evaluator, op, groups_of_replicas), [x])
    (first,), *others = meeting.values
    for (other,) in others:
        first = first + other
    return first


LEGACY: Mapping[type[Operation], Rule] = {
    stablehlo.BroadcastOp: broadcast,
    stablehlo.CrossReplicaSumOp: cross_replica_sum,
    stablehlo.EinsumOp: einsum,
    stablehlo.TorchIndexSelectOp: torch_index_select,
    stablehlo.UnaryEinsumOp: einsum,
}
