"""Scatters: each device applies its own updates, or the updates of its part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import Attribute, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import Dense, dense_values
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.axis_refs import difference
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.facts.neutral_elements import identity_of
from xshardy.sharding.devices import shard_indices
from xshardy.sharding.rules.gather_scatter import combiner_of
from xshardy.transforms.failures import warn
from xshardy.transforms.sdy_partition.local.contractions import require_reduction
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.indices import Indexing
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors, refuse


def _partial_axes(op: stablehlo.ScatterOp, before: WholeTensors) -> list[AxisRefAttr]:
    """
    The axes along which devices have different updates for the same part.

    Raises `OperationFailedException` if one of them also divides the operand: no device has some updates of some parts.
    """
    numbers, count = op.scatter_dimension_numbers, len(op.inputs)
    source, indices = before.operands[0], before.operands[count]
    batching = (*numbers.scatter_indices_batching_dims.get_values(), numbers.index_vector_dim.data)
    own = [axis for dim in range(len(source.shape)) for axis in source.axes(dim)]
    partial = [axis for dim in range(len(indices.shape)) if dim not in batching for axis in indices.axes(dim)]
    for axis in partial:
        if difference(axis, own, before.mesh) != (axis,):
            raise refuse(
                op,
                f"operand and updates are sharded along {axis.text}, so that updates are not where their parts are. "
                "This requires a reshard which should have been handled by previous passes.",
            )
    return partial


def window_dims(op: stablehlo.ScatterOp) -> dict[int, int]:
    """The dimensions of the operand of which updates have some elements, with the dimensions of the updates."""
    numbers = op.scatter_dimension_numbers
    dropped = (*numbers.inserted_window_dims.get_values(), *numbers.input_batching_dims.get_values())
    rank = tensor_type(op.inputs[0]).get_num_dims()
    kept = (dim for dim in range(rank) if dim not in dropped)
    return dict(zip(kept, numbers.update_window_dims.get_values(), strict=True))


def _check_alike(op: stablehlo.ScatterOp, before: WholeTensors) -> None:
    """Raises `OperationFailedException` unless all tensors are sharded alike in the dimensions that they share."""
    count, numbers = len(op.inputs), op.scatter_dimension_numbers
    indices, updates = before.operands[count], before.operands[count + 1 :]
    inputs = (*before.operands[:count], *before.results)
    source, update, vector_dim = inputs[0], updates[0], numbers.index_vector_dim.data
    pairs = [(dim, source.axes(dim), other.axes(dim)) for other in inputs[1:] for dim in range(len(source.shape))]
    pairs += [(dim, update.axes(dim), other.axes(dim)) for other in updates[1:] for dim in range(len(update.shape))]
    for dim, of_update in window_dims(op).items():
        is_whole = source.shape[dim] == update.shape[of_update]
        pairs.append((dim, source.axes(dim) if is_whole else (), update.axes(of_update)))
    windows = numbers.update_window_dims.get_values()
    batches = [dim for dim in range(len(indices.shape)) if dim != vector_dim]
    of_updates = [dim for dim in range(len(update.shape)) if dim not in windows]
    pairs += [(dim, indices.axes(dim), update.axes(of)) for dim, of in zip(batches, of_updates, strict=True)]
    batching = zip(
        numbers.input_batching_dims.get_values(), numbers.scatter_indices_batching_dims.get_values(), strict=True
    )
    pairs += [(dim, source.axes(dim), indices.axes(of)) for dim, of in batching]
    if vector_dim < len(indices.shape):
        pairs.append((vector_dim, (), indices.axes(vector_dim)))
    for dim, one, other in pairs:
        if tuple(one) != tuple(other):
            raise refuse(
                op,
                f"dimension {dim} is sharded differently in its operands and results. This requires a reshard which "
                "should have been handled by previous passes.",
            )


def _indexed_dims(op: stablehlo.ScatterOp, source: WholeTensor, updates: WholeTensor) -> list[int]:
    """
    The sharded dimensions whose index determines the device of an update.

    Raises `OperationFailedException` if an update may span several parts. As upstream, an update that has only the
    first element of a dimension without an index is applied to the first element of every part, with a warning.
    """
    numbers = op.scatter_dimension_numbers
    inserted, indexed = numbers.inserted_window_dims.get_values(), numbers.scatter_dims_to_operand_dims.get_values()
    windows = window_dims(op)
    indexed_dims: list[int] = []
    for dim, extent in enumerate(source.shape):
        if source.parts(dim) == 1:
            continue
        if dim in inserted and dim not in indexed:
            raise refuse(
                op,
                f"sharding operand dimension {dim} that is not indexed but in inserted window dimension is not "
                "supported.",
            )
        size = updates.shape[windows[dim]] if dim in windows else 1
        if dim in indexed and size == 1:
            indexed_dims.append(dim)
        elif size not in (1, extent):
            raise refuse(
                op,
                f"operand dimension {dim} is sharded, and updates have {size} of its {extent} elements: "
                "replicate this dimension",
            )
        elif dim in windows and size == 1 and extent > 1:
            warn(
                op,
                f"operand dimension {dim} is sharded, and updates have only its first element: as upstream, they are "
                "applied to the first element of every part, which is not what the whole scatter computes",
            )
    return indexed_dims


def _on_first(
    inputs: Sequence[SSAValue], identities: Mapping[Attribute, Dense], leaders: Sequence[bool], code: DeviceCode
) -> list[SSAValue]:
    """
    `inputs` on the devices in `leaders`, and neutral elements on the others, so that the reduction counts inputs once.
    """
    scalars = {element: code.constant(identity) for element, identity in identities.items()}
    device = code.device_id()
    table = dense_values(TensorType(i1, [len(leaders)]), leaders)
    entry = code.entry(table, device)
    shape = tensor_type(inputs[0]).get_shape()
    mask = code.insert(stablehlo.BroadcastInDimOp(entry, [0], TensorType(i1, shape)))
    others = {
        element: code.insert(stablehlo.BroadcastInDimOp(scalar, [], TensorType(element, shape)))
        for element, scalar in scalars.items()
    }
    return [code.insert(stablehlo.SelectOp(mask, value, others[tensor_type(value).element_type])) for value in inputs]


def _index_vectors(op: stablehlo.ScatterOp) -> int:
    """The number of index vectors: of updates of each input."""
    shape = tensor_type(op.scatter_indices).get_shape()
    return prod(size for dim, size in enumerate(shape) if dim != op.scatter_dimension_numbers.index_vector_dim.data)


@dataclass(frozen=True, slots=True)
class LocalScatter:
    """How a device applies updates to its part of `source`."""

    source: WholeTensor
    indexed_dims: Sequence[int]
    """The sharded dimensions whose index determines the device of an update."""
    leaders: Sequence[bool]
    """Which devices apply their updates to the inputs; empty if all do."""
    identities: Mapping[Attribute, Dense]
    """The neutral elements to which the other devices apply their updates, by element type."""


class ScatterToPart(LocalPattern[stablehlo.ScatterOp, LocalScatter]):
    """
    `scatter(%x, %i, %u)` -> `scatter(%part, %i - offset, %u)`: the same updates of each part.

    If the inputs are sharded in an indexed dimension, indices become relative to the offset of the part: updates of
    other parts are out of bounds, and ignored. If devices have different updates for the same part, all but one of them
    start from neutral elements, and the all-reduce after the scatter combines them.

    Requires: tensors that are sharded alike in the dimensions that they share; that all-reduce.

    Refuses: updates of several elements of a sharded dimension, but not all; a combiner without neutral element.
    """

    checks_shardings = True

    @staticmethod
    def decide(op: stablehlo.ScatterOp, before: WholeTensors) -> LocalScatter | None:
        source, updates = before.operands[0], before.operands[len(op.inputs) + 1]
        if before.is_replicated:
            return None
        _check_alike(op, before)
        axes, indexed_dims = _partial_axes(op, before), _indexed_dims(op, source, updates)
        if not axes and not indexed_dims:
            return None
        identities: dict[Attribute, Dense] = {}
        if axes:
            for value in op.inputs:
                element = tensor_type(value).element_type
                combiner = combiner_of(op)
                if combiner is None or (identity := identity_of(combiner, element)) is None:
                    raise refuse(op, "failed to get scatter reduction identity.")
                identities[element] = identity
            require_reduction(op, axes, before, "scatter")
        leaders = [index == 0 for index in shard_indices(axes, before.mesh)] if axes else []
        return LocalScatter(source, indexed_dims, leaders, identities)

    def rewrite(self, op: stablehlo.ScatterOp, decision: LocalScatter, code: DeviceCode) -> None:
        if decision.leaders:
            for index, value in enumerate(_on_first(op.inputs, decision.identities, decision.leaders, code)):
                op.operands[index] = value
        if decision.indexed_dims:
            numbers = op.scatter_dimension_numbers
            indexing = Indexing(
                op.scatter_indices,
                numbers.index_vector_dim.data,
                numbers.scatter_dims_to_operand_dims.get_values(),
                decision.source,
                decision.indexed_dims,
            )
            op.operands[len(op.inputs)] = indexing.widened(code).local(code)
            if _index_vectors(op) == 1:
                barrier = stablehlo.OptimizationBarrierOp(op.inputs)
                code.insert(barrier)
                op.operands = [*barrier.results, *op.operands[len(op.inputs) :]]
        code.rewriter.notify_op_modified(op)
