"""The whole round trip, for tests: export, HLO, and import."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.passes import ModulePass

from xshardy.transforms.pipeline_pass import PipelinePass
from xshardy.transforms.xla_sdy.round_trip_export_pipeline import RoundTripExportPipelinePass
from xshardy.transforms.xla_sdy.round_trip_import_pipeline import RoundTripImportPipelinePass
from xshardy.transforms.xla_sdy.round_trip_through_hlo import RoundTripThroughHloPass


@dataclass(frozen=True)
class RoundTripTestingPipelinePass(PipelinePass):
    """Export a module, write it as HLO text, read that back, and import it with calls as named computations."""

    name = "xla-sdy-round-trip-testing-pipeline"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-round-trip-testing-pipeline"
    enable_hlo_sharding_v3: bool = False

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        """The passes, in order."""
        return (
            RoundTripExportPipelinePass(enable_hlo_sharding_v3=self.enable_hlo_sharding_v3),
            RoundTripThroughHloPass(),
            RoundTripImportPipelinePass(import_func_calls=True, enable_hlo_sharding_v3=self.enable_hlo_sharding_v3),
        )
