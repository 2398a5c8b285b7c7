"""The passes that read back what `xla-sdy-round-trip-export-pipeline` has written, after HLO has carried it."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.passes import ModulePass

from xshardy.transforms.hlo.canonicalize_from_hlo_import import CanonicalizeFromHloImportPass
from xshardy.transforms.pipeline_pass import PipelinePass
from xshardy.transforms.sdy_import.lift_inlined_meshes import LiftInlinedMeshesPass
from xshardy.transforms.symbol_dce import SymbolDCEPass
from xshardy.transforms.xla_sdy.canonicalize import CanonicalizeImportedPass
from xshardy.transforms.xla_sdy.import_constants import ImportConstantsPass
from xshardy.transforms.xla_sdy.import_func_calls import ImportFuncCallsPass
from xshardy.transforms.xla_sdy.import_named_shardings import ImportNamedShardingsPass
from xshardy.transforms.xla_sdy.import_sdy_custom_calls import ImportSdyCustomCallsPass
from xshardy.transforms.xla_sdy.open_while_free_vars_sharding import OpenWhileFreeVarsShardingPass
from xshardy.transforms.xla_sdy.round_trip_dedup_meshes import RoundTripDedupMeshesPass
from xshardy.transforms.xla_sdy.round_trip_import_shardy_attrs import RoundTripImportShardyAttrsPass
from xshardy.transforms.xla_sdy.round_trip_shard_map_import import RoundTripShardMapImportPass


@dataclass(frozen=True)
class RoundTripImportPipelinePass(PipelinePass):
    """
    Read meshes, shardings, sharding rules, groups, barriers and manual computations from what HLO has carried.

    Constants are protected from merging if `enable_constant_import`, calls become named computations if
    `import_func_calls`, and meshes that are written out in shardings get names if `lift_and_dedup_meshes`. With
    `enable_hlo_sharding_v3`, HLO shardings that name the axes of meshes are read too, and meshes get names.
    """

    name = "xla-sdy-round-trip-import-pipeline"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-round-trip-import-pipeline"
    enable_constant_import: bool = True
    import_func_calls: bool = False
    lift_and_dedup_meshes: bool = False
    enable_hlo_sharding_v3: bool = False

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        """The passes, in order."""
        with_names = self.lift_and_dedup_meshes or self.enable_hlo_sharding_v3
        return (
            SymbolDCEPass(),
            # Constants come before all that may merge or move them, and after what looks for plain ones.
            *((ImportConstantsPass(),) if self.enable_constant_import else ()),
            CanonicalizeFromHloImportPass(),
            *((ImportNamedShardingsPass(),) if self.enable_hlo_sharding_v3 else ()),
            RoundTripImportShardyAttrsPass(),
            RoundTripShardMapImportPass(),
            ImportSdyCustomCallsPass(),
            OpenWhileFreeVarsShardingPass(),
            *((LiftInlinedMeshesPass(), RoundTripDedupMeshesPass()) if with_names else ()),
            CanonicalizeImportedPass(),
            *((ImportFuncCallsPass(),) if self.import_func_calls else ()),
        )
