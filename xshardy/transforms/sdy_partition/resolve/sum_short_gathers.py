"""Gathers of dimensions with fewer elements than devices: most of what such a gather moves is padding."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import RewritePattern

from xshardy.dialects.sdy.attributes.axes import AxisRefs
from xshardy.dialects.sdy.collectives import AllGatherOp
from xshardy.rewriting import INNER_FIRST, PatternPass, Walk
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.sdy_partition.exchange.contributions import added_up, all_axes, elements_summed, placed
from xshardy.transforms.sdy_partition.exchange.pattern import manual_results, padded_input
from xshardy.transforms.sdy_partition.local.collectives import axes_per_dim
from xshardy.transforms.sdy_partition.local.convert_global_to_local import next_channel
from xshardy.transforms.sdy_partition.local.device_code import Channels, DeviceCode, LocalOptions
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors


class SumShortGather(LocalPattern[AllGatherOp, Mapping[int, AxisRefs]]):
    """
    `all_gather %x` -> `manual_computation(%x) { all_reduce (place %part) }`: of the part in its place, among zeros.

    The decision: the gathered dimensions, with their axes.

    Requires: that the all-reduce moves fewer bytes.
    """

    @staticmethod
    def decide(op: AllGatherOp, before: WholeTensors) -> Mapping[int, AxisRefs] | None:
        (source,), (target,) = before.operands, before.results
        if not source.is_static or source.is_replicated or source.mesh != op.mesh:
            return None
        gathered = {dim: axes for dim, axes in enumerate(axes_per_dim(op.gathering_axes)) if axes}
        if any(target.axes(dim) for dim in gathered):
            return None
        parts = prod(source.parts(dim) for dim in gathered)
        whole = prod(source.shape[dim] if dim in gathered else size for dim, size in enumerate(source.part_shape))
        return gathered if 0 < elements_summed(whole, parts) < prod(source.part_shape) * (parts - 1) else None

    def rewrite(self, op: AllGatherOp, decision: Mapping[int, AxisRefs], code: DeviceCode) -> None:
        (source,), targets = (tensors := WholeTensors.of(op)).operands, tensors.results

        def body(parts: Sequence[SSAValue]) -> Sequence[SSAValue]:
            (part,) = parts
            for dim, axes in decision.items():
                first = code.shard_offset(axes, source.mesh, source.part_shape[dim])
                part = placed(part, dim, first, source.shape[dim], code)
            return [added_up(part, all_axes([*decision.values()]), source.mesh, code)]

        code.replace(op, *manual_results([padded_input(op.tensor, source, code)], targets, body, code))


@dataclass(frozen=True)
class SumShortGathersPass(PatternPass):
    """
    Replace gathers of dimensions with few elements by all-reduces, where that moves fewer bytes.

    These are dimensions of less than half as many elements as there are parts. Devices are numbered by replica if
    `replica_count` is more than 1, else by partition.
    """

    name = "sdy-sum-short-gathers"
    source: ClassVar[str] = "ours: XLA's partitioner adds up slices of one element"
    replica_count: int = 1
    partition_count: int = 1

    walk: ClassVar[Walk] = INNER_FIRST

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        decisions: dict[AllGatherOp, Mapping[int, AxisRefs]] = {
            op: decision
            for op in operations_of(module, AllGatherOp)
            if (decision := SumShortGather.decide(op, WholeTensors.of(op))) is not None
        }
        options = LocalOptions(by_replica=self.replica_count > 1)
        return (SumShortGather(decisions, options, Channels(next_channel(module))),)
