"""The passes that turn a module with HLO shardings into one of Shardy."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.passes import ModulePass

from xshardy.transforms.hlo.canonicalize_from_hlo_import import CanonicalizeFromHloImportPass
from xshardy.transforms.pipeline_pass import PipelinePass
from xshardy.transforms.xla_sdy.import_shardings import ImportShardingsPass
from xshardy.transforms.xla_sdy.round_trip_import_pipeline import RoundTripImportPipelinePass


@dataclass(frozen=True)
class StablehloImportPipelinePass(PipelinePass):
    """
    Find a mesh for the HLO shardings of a module, and import the rest as the round trip does.

    Propagation may shard arguments and results of the main function further where it is allowed, by one flag (0 or 1)
    for each, or one for all.
    """

    name = "xla-sdy-stablehlo-import-pipeline"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-stablehlo-import-pipeline"
    allow_propagation_to_args: tuple[int, ...] = ()
    allow_propagation_to_results: tuple[int, ...] = ()

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        """The passes, in order."""
        return (
            CanonicalizeFromHloImportPass(),
            ImportShardingsPass(self.allow_propagation_to_args, self.allow_propagation_to_results),
            RoundTripImportPipelinePass(),
        )
