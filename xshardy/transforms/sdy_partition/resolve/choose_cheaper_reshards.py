"""Gather the operand of a reshape where its axes would be moved to other dimensions only to be gathered there."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.stablehlo.shape import ReshapeOp
from xshardy.rewriting import DecisionPattern, PatternPass
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.sdy_export.factor_conflicts import FactorConflicts, Resolution, conflicts_in
from xshardy.transforms.sdy_export.insert_explicit_reshards import apply_resolution
from xshardy.transforms.sdy_partition.exchange.pattern import whole_along
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors
from xshardy.transforms.sdy_partition.resolve.reshard_costs import elements_received_by


def cheaper_resolution(op: ReshapeOp, conflicts: FactorConflicts) -> Resolution | None:
    """
    The resolution of the conflicts of `op` that leaves the axes that operand and result share.

    None if there is no conflict, or if that of `sdy-insert-explicit-reshards` moves fewer elements. Axes that shard a
    dimension of one element, which no factor stands for, are a conflict too.
    """
    tensors = WholeTensors.of(op)
    if not all(tensor.is_static for tensor in (*tensors.operands, *tensors.results)):
        return None
    default = conflicts.resolve(op, full=True)
    if default is None:
        return without_axes_of_single_elements(tensors)
    shared = conflicts.with_shared_axes(op)
    if shared is None or elements_received_by(op, shared) > elements_received_by(op, default):
        return None
    return shared


def without_axes_of_single_elements(tensors: WholeTensors) -> Resolution | None:
    """Operand and result without the axes of dimensions of size 1; None if there are none."""
    becomes = [
        whole_along(tensor, [dim for dim, extent in enumerate(tensor.shape) if extent == 1])
        for tensor in (*tensors.operands, *tensors.results)
    ]
    mesh = next((sharding.mesh_or_ref for sharding in becomes if sharding is not None), None)
    return None if mesh is None else Resolution(becomes[:1], becomes[1:], (), ReductionOp.SUM, mesh)


class ReshardToSharedAxes(DecisionPattern[ReshapeOp, Resolution]):
    """`reshape(x)` -> `reshard(reshape(reshard(x)))`, along the axes that both sides share."""

    def rewrite(self, op: ReshapeOp, decision: Resolution, rewriter: PatternRewriter, /) -> None:
        apply_resolution(op, decision, rewriter)


class ChooseCheaperReshardsPass(PatternPass):
    """
    Reshard reshapes so that operand and result keep the axes that they share, where that moves fewer elements.

    `sdy-insert-explicit-reshards` keeps all axes of the side with more parts, and moves those that do not divide their
    factors to other dimensions.
    """

    name = "sdy-choose-cheaper-reshards"
    source: ClassVar[str] = "ours: XLA's partitioner gathers such operands"

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        conflicts = conflicts_in(module)
        decisions: Mapping[ReshapeOp, Resolution] = {
            op: resolution
            for op in operations_of(module, ReshapeOp)
            if (resolution := cheaper_resolution(op, conflicts)) is not None
        }
        return (ReshardToSharedAxes(decisions),)
