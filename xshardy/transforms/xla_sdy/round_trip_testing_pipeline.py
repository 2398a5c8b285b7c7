"""The whole round trip, for tests: export, HLO, and import."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline

from xshardy.transforms.xla_sdy.round_trip_export_pipeline import RoundTripExportPipelinePass
from xshardy.transforms.xla_sdy.round_trip_import_pipeline import RoundTripImportPipelinePass
from xshardy.transforms.xla_sdy.round_trip_through_hlo import RoundTripThroughHloPass


@dataclass(frozen=True)
class RoundTripTestingPipelinePass(ModulePass):
    """Export a module, write it as HLO text, read that back, and import it with calls as named computations."""

    name = "xla-sdy-round-trip-testing-pipeline"
    no_patterns: ClassVar[str] = "a pipeline of other passes"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-round-trip-testing-pipeline"

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        """The passes, in order."""
        return (
            RoundTripExportPipelinePass(),
            RoundTripThroughHloPass(),
            RoundTripImportPipelinePass(import_func_calls=True),
        )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PassPipeline(self.passes).apply(ctx, op)
