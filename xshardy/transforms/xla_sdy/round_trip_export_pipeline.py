"""The passes after which HLO can carry the shardings of a program, and of its calls and manual computations."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xshardy.transforms.pipeline_pass import PipelinePass
from xshardy.transforms.sdy_import.lift_inlined_meshes import LiftInlinedMeshesPass
from xshardy.transforms.xla_sdy.round_trip_dedup_meshes import RoundTripDedupMeshesPass
from xshardy.transforms.xla_sdy.round_trip_export_ops import RoundTripExportOpsPass, exported_operations
from xshardy.transforms.xla_sdy.round_trip_export_shardy_attrs import RoundTripExportShardyAttrsPass
from xshardy.transforms.xla_sdy.round_trip_shard_map_export import RoundTripShardMapExportPass
from xshardy.transforms.xla_sdy.stablehlo_export_shardings import StablehloExportShardingsPass


@dataclass(frozen=True)
class RoundTripExportPipelinePass(PipelinePass):
    """
    Write all that sdy says of a module into texts and custom calls, which HLO carries unread.

    Shardings are also written in the notation of HLO. With `keep_meshes_inlined`, meshes that are written out in
    shardings stay there. With `enable_hlo_sharding_v3`, shardings are written only in the notation of HLO that names
    the axes of meshes, and has no priorities. A module with operations that propagation or partitioning inserts stays
    as it is.
    """

    name = "xla-sdy-round-trip-export-pipeline"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-round-trip-export-pipeline"
    keep_meshes_inlined: bool = False
    enable_hlo_sharding_v3: bool = False

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        """The passes, in order."""
        lift = () if self.keep_meshes_inlined else (LiftInlinedMeshesPass(),)
        return (
            *lift,
            RoundTripDedupMeshesPass(),
            RoundTripExportOpsPass(),
            RoundTripShardMapExportPass(self.enable_hlo_sharding_v3),
            RoundTripExportShardyAttrsPass(self.enable_hlo_sharding_v3),
            StablehloExportShardingsPass(enable_hlo_sharding_v3=self.enable_hlo_sharding_v3),
        )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        exported_operations(op)
        super().apply(ctx, op)
