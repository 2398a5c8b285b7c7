"""Gathers: each device gathers slices of its part, and zeros for slices on other devices."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.sdy_partition.local.contractions import require_reduction
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.indices import Indexing
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors, refuse


def _indexed_dims(op: stablehlo.GatherOp, source: WholeTensor) -> list[int]:
    """
    The sharded dimensions in which slices have one element; batching dimensions, sharded like the indices, do not
    count.
    """
    batching = op.dimension_numbers.operand_batching_dims.get_values()
    sizes = op.slice_sizes.get_values()
    return [dim for dim, size in enumerate(sizes) if size == 1 and dim not in batching and source.parts(dim) > 1]


def _local_sizes(op: stablehlo.GatherOp, source: WholeTensor) -> list[int]:
    """The sizes of a slice of a part. Raises `OperationFailedException` if a slice spans several parts."""
    batching = op.dimension_numbers.operand_batching_dims.get_values()
    sizes = list(op.slice_sizes.get_values())
    for dim, size in enumerate(sizes):
        if size == 1 or dim in batching or source.parts(dim) == 1:
            continue
        if size != source.shape[dim]:
            raise refuse(
                op,
                f"operand dimension {dim} is sharded, and slices have {size} of its {source.shape[dim]} elements: "
                "replicate this dimension",
            )
        sizes[dim] = source.local.get_shape()[dim]
    return sizes


@dataclass(frozen=True, slots=True)
class LocalGather:
    """How a device gathers from its part of `source`."""

    source: WholeTensor
    indexed_dims: Sequence[int]
    """The sharded dimensions whose index determines the device of a slice."""
    sizes: Sequence[int]
    """The sizes of a slice of the part."""

    def slices(self, op: stablehlo.GatherOp, indices: SSAValue) -> stablehlo.GatherOp:
        """`op` on a part, with other indices."""
        return stablehlo.GatherOp.create(
            operands=[op.operand, indices],
            result_types=op.result_types,
            properties={**op.properties, "slice_sizes": integers(self.sizes)},
            attributes=op.attributes,
        )


class GatherFromPart(LocalPattern[stablehlo.GatherOp, LocalGather]):
    """
    `gather(%x, %i)` -> `gather(%part, %i)`: the same slices of each part.

    If the operand is sharded in a dimension in which slices have one element, a device gathers the slices whose index
    is in its part, and zeros for the others; the all-reduce after it adds them up.

    Requires: that all-reduce.

    Refuses: a sharded dimension of which slices have several elements, but not all.
    """

    @staticmethod
    def decide(op: stablehlo.GatherOp, before: WholeTensors) -> LocalGather | None:
        source, _ = before.operands
        if source.is_replicated:
            return None
        indexed_dims, sizes = _indexed_dims(op, source), _local_sizes(op, source)
        if indexed_dims:
            axes = [axis for dim in indexed_dims for axis in source.axes(dim)]
            require_reduction(op, axes, before, "gather")
        return LocalGather(source, indexed_dims, sizes)

    def rewrite(self, op: stablehlo.GatherOp, decision: LocalGather, code: DeviceCode) -> None:
        if decision.indexed_dims:
            code.replace(op, _gather_own(op, decision, code))
        else:
            code.rewriter.replace(op, decision.slices(op, op.start_indices))


def _gather_own(op: stablehlo.GatherOp, local: LocalGather, code: DeviceCode) -> SSAValue:
    """Gather the slices whose index is in the part of the device, and zeros for the others."""
    numbers = op.dimension_numbers
    indexing = Indexing(
        op.start_indices,
        numbers.index_vector_dim.data,
        numbers.start_index_map.get_values(),
        local.source,
        local.indexed_dims,
    )
    indices, inside = op.start_indices, None
    if not indexing.is_local:
        indices, inside = indexing.widened(code).clamped(code).local_and_inside(code)
    mask = _conjunction(inside, indexing.holds_first_of_unindexed(code), code)
    found = code.insert(local.slices(op, indices))
    if inside is not None:
        mask = indexing.all_components(mask, code)
    type = tensor_type(found)
    offsets = numbers.offset_dims.get_values()
    batches = [dim for dim in range(type.get_num_dims()) if dim not in offsets]
    dims = batches if tensor_type(mask).get_num_dims() else []
    mask = code.insert(stablehlo.BroadcastInDimOp(mask, dims, TensorType(i1, type.get_shape())))
    zero = code.zeros(type)
    return code.insert(stablehlo.SelectOp(mask, found, zero))


def _conjunction(inside: SSAValue | None, first: SSAValue | None, code: DeviceCode) -> SSAValue:
    """The conjunction of two masks, of which the second is a scalar. At least one is given."""
    if inside is None or first is None:
        mask = inside if first is None else first
        assert mask is not None
        return mask
    first = code.insert(stablehlo.BroadcastInDimOp(first, [], inside.type))
    return code.insert(stablehlo.AndOp(inside, first))
