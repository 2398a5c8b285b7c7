"""The passes after which a module has no operation or attribute of sdy, but HLO shardings, for XLA's partitioner."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.passes import ModulePass

from xshardy.transforms.pipeline_pass import PipelinePass
from xshardy.transforms.sdy_export.unflatten_call_graph import UnflattenCallGraphPass
from xshardy.transforms.symbol_dce import SymbolDCEPass
from xshardy.transforms.xla_sdy.export_named_computations import ExportNamedComputationsPass
from xshardy.transforms.xla_sdy.export_ops import ExportOpsPass
from xshardy.transforms.xla_sdy.stablehlo_export_callback_custom_calls import StablehloExportCallbackCustomCallsPass
from xshardy.transforms.xla_sdy.stablehlo_export_manual_reduction_collectives import (
    StablehloExportManualReductionCollectivesPass,
)
from xshardy.transforms.xla_sdy.stablehlo_export_shardings import StablehloExportShardingsPass
from xshardy.transforms.xla_sdy.stablehlo_round_trip_shard_map_export import StablehloRoundTripShardMapExportPass


@dataclass(frozen=True)
class StablehloExportPipelinePass(PipelinePass):
    """
    Write what propagation found in the notation of HLO: shardings, copies that move values, calls of manual code.

    With `keep_hlo_sharding_constraints`, copies are custom calls `@Sharding`. With `dedup_functions_fully`, functions
    that differ in shardings are one. `add_missing_sharding_to_control_flow` replicates loops and conditionals without a
    sharding. `enable_hlo_sharding_v3` writes shardings by the axes of their meshes.
    """

    name = "xla-sdy-stablehlo-export-pipeline"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-stablehlo-export-pipeline"
    keep_hlo_sharding_constraints: bool = False
    dedup_functions_fully: bool = False
    add_missing_sharding_to_control_flow: bool = True
    enable_hlo_sharding_v3: bool = False

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        """The passes, in order."""
        unflatten = UnflattenCallGraphPass(self.dedup_functions_fully), SymbolDCEPass()
        return (
            StablehloExportManualReductionCollectivesPass(),
            *(() if self.keep_hlo_sharding_constraints else unflatten),
            ExportOpsPass(self.keep_hlo_sharding_constraints),
            StablehloRoundTripShardMapExportPass(self.keep_hlo_sharding_constraints),
            # Named computations come after manual ones, which say what is manual around them.
            ExportNamedComputationsPass(self.dedup_functions_fully),
            SymbolDCEPass(),
            StablehloExportShardingsPass(self.add_missing_sharding_to_control_flow, self.enable_hlo_sharding_v3),
            StablehloExportCallbackCustomCallsPass(),
        )
