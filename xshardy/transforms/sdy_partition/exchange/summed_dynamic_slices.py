"""Dynamic slices of sharded dimensions: each device contributes what it has of the slice."""

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.ops import ReshardOp
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.sdy_partition.exchange.contributions import added_up, all_axes, placed
from xshardy.transforms.sdy_partition.exchange.pattern import (
    Gathered,
    manual_results,
    padded_input,
    part_size,
    sharded_dims,
    whole_along,
)
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.updates import clamped
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors


class SumOfDynamicSlices(LocalPattern[stablehlo.DynamicSliceOp, Sequence[int]]):
    """
    `dynamic_slice %x, %i` -> `manual_computation(%x, %i) { all_reduce (place (dynamic_slice %part, %i - offset)) }`

    Each device contributes what it has of the slice. The decision: sharded dimensions of which it has a part.

    Requires: indices that each device has; a slice of no more elements than a part.
    """

    @staticmethod
    def decide(op: stablehlo.DynamicSliceOp, before: WholeTensors) -> Sequence[int] | Gathered | None:
        (source, *indices), (target,) = before.operands, before.results
        if source.is_replicated:
            return Gathered("only the result is sharded")
        if source.mesh.is_maximal:
            return Gathered("the operand is on one device")
        if not all(index.is_replicated for index in indices):
            return Gathered("an index is sharded")
        if not target.is_replicated and target.mesh != source.mesh:
            return Gathered("operand and result are over different meshes")
        cut = [dim for dim in sharded_dims(source) if target.shape[dim] != source.shape[dim]]
        if not cut:
            return None
        kept = (dim for dim in range(len(source.shape)) if dim not in cut)
        if any(target.axes(dim) not in ((), source.axes(dim)) for dim in cut) or any(
            target.axes(dim) != source.axes(dim) for dim in kept
        ):
            return Gathered("the result is sharded otherwise than the operand")
        if prod(_part_of_result(source, target, cut)) > prod(source.part_shape):
            return Gathered("the slice has more elements than a part of the operand")
        return cut

    def rewrite(self, op: stablehlo.DynamicSliceOp, decision: Sequence[int], code: DeviceCode) -> None:
        (source, *_), (target,) = (tensors := WholeTensors.of(op)).operands, tensors.results
        whole = WholeTensor(target.type, whole_along(source, decision), op)

        def body(parts: Sequence[SSAValue]) -> Sequence[SSAValue]:
            part, *indices = parts
            sizes, local = _part_of_result(source, target, decision), tensor_type(part).get_shape()
            starts: list[SSAValue] = []
            firsts: dict[int, SSAValue] = {}
            for dim, index in enumerate(indices):
                wanted = clamped(index, source.shape[dim] - target.shape[dim], code)
                if dim not in decision:
                    starts.append(wanted)
                    continue
                sizes[dim] = min(sizes[dim], local[dim])
                offset = code.shard_offset(source.axes(dim), source.mesh, local[dim])
                wanted = code.insert(stablehlo.SubtractOp(wanted, offset))
                last = code.integer(local[dim] - sizes[dim])
                starts.append(code.insert(stablehlo.ClampOp(code.integer(0), wanted, last)))
                firsts[dim] = code.insert(stablehlo.SubtractOp(starts[dim], wanted))
            piece = code.insert(stablehlo.DynamicSliceOp(part, starts, sizes))
            for dim, first in firsts.items():
                piece = placed(piece, dim, first, target.shape[dim], code)
            return [added_up(piece, all_axes([source.axes(dim) for dim in decision]), source.mesh, code)]

        inputs = [padded_input(op.operand, source, code), *((index, None) for index in op.start_indices)]
        (result,) = manual_results(inputs, [whole], body, code)
        if target.sharding is not None and any(target.axes(dim) for dim in decision):
            result = code.insert(ReshardOp(result, target.sharding))
        code.replace(op, result)


def _part_of_result(source: WholeTensor, target: WholeTensor, cut: Sequence[int]) -> list[int]:
    """The shape of what a device has of the slice, which has the dimensions `cut` whole."""
    return [
        extent if dim in cut or source.parts(dim) == 1 else part_size(source, dim)
        for dim, extent in enumerate(target.shape)
    ]
