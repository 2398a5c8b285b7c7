"""From a module as a user wrote it to one for a partitioner. Source: Shardy's docs, "Propagation"."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xshardy.transforms.pipeline_pass import PipelinePass
from xshardy.transforms.sdy.function_copies import Functions
from xshardy.transforms.sdy.main_function import main_of
from xshardy.transforms.sdy.pipeline_options import (
    DebugOptions,
    ImportOptions,
    PartitioningOptions,
    PropagationOptions,
    RuleOptions,
    SignatureOptions,
    options_of,
)
from xshardy.transforms.sdy_export.export_named_computations import ExportNamedComputationsPass
from xshardy.transforms.sdy_export.export_pipeline import ExportPipelinePass
from xshardy.transforms.sdy_export.insert_func_call_reshards import InsertFuncCallReshardsPass
from xshardy.transforms.sdy_export.keep_partial_sums import KeepPartialSumsPass
from xshardy.transforms.sdy_export.propagate_to_func_results import PropagateToFuncResultsPass
from xshardy.transforms.sdy_export.sink_func_data_flow_edges import SinkFuncDataFlowEdgesPass
from xshardy.transforms.sdy_export.unflatten_call_graph import UnflattenCallGraphPass
from xshardy.transforms.sdy_import.add_func_data_flow_edges import AddFuncDataFlowEdgesPass
from xshardy.transforms.sdy_import.apply_sharding_constraints import ApplyShardingConstraintsPass
from xshardy.transforms.sdy_import.flatten_call_graph import FlattenCallGraphPass
from xshardy.transforms.sdy_import.import_func_calls import ImportFuncCallsPass
from xshardy.transforms.sdy_import.import_pipeline import ImportPipelinePass
from xshardy.transforms.sdy_import.pre_order_funcs import PreOrderFuncsPass
from xshardy.transforms.sdy_import.sharding_group_import import ShardingGroupImportPass
from xshardy.transforms.sdy_propagation.user_priority_propagate import UserPriorityPropagatePass
from xshardy.transforms.symbol_dce import SymbolDCEPass, dead_symbols


@dataclass(frozen=True)
class PropagationPipelinePass(
    SignatureOptions, PartitioningOptions, RuleOptions, DebugOptions, PropagationOptions, ImportOptions, PipelinePass
):
    """
    Import a module, propagate its shardings, and export it. A module that cannot be imported is left as it was.

    With `dedup_functions_fully`, functions are shared by all their calls: shardings go between these along edges.
    Without it every call gets a function of its own, and is inlined; those that come out alike are shared again.
    """

    name = "sdy-propagation-pipeline"
    source: ClassVar[str] = 'Shardy, "Propagation", sdy-propagation-pipeline'
    keep_partial_sums: bool = False
    """Whether unreduced tensors stay so through linear operations, and are reduced before others. Not upstream's."""

    @property
    def passes_before_propagation(self) -> tuple[ModulePass, ...]:
        """Those that prepare the module, in order."""
        look_into_calls = (
            *(FlattenCallGraphPass(), SymbolDCEPass(), ImportFuncCallsPass(), SymbolDCEPass()),
            ApplyShardingConstraintsPass(self.debug_sharding_origins, self.debug_propagation_edge_sharding),
            ShardingGroupImportPass(),
        )
        return (
            self._import_pipeline,
            *((AddFuncDataFlowEdgesPass(),) if self.dedup_functions_fully else look_into_calls),
            PreOrderFuncsPass(),
        )

    @property
    def propagation(self) -> UserPriorityPropagatePass:
        """The pass that propagates. It leaves rules, edges and named computations to the passes after it."""
        return UserPriorityPropagatePass(keep_sharding_rules=True, **options_of(self, PropagationOptions, DebugOptions))

    @property
    def passes_after_propagation(self) -> tuple[ModulePass, ...]:
        """Those that take out what the others have put in, in order."""
        sink_edges_of_calls = (PropagateToFuncResultsPass(), SinkFuncDataFlowEdgesPass())
        outline_calls = (ExportNamedComputationsPass(), PropagateToFuncResultsPass())
        return (
            *((KeepPartialSumsPass(),) if self.keep_partial_sums else ()),
            *(sink_edges_of_calls if self.dedup_functions_fully else outline_calls),
            # The option of this pass is not that of the pipeline: nothing has been copied where that is set.
            *(UnflattenCallGraphPass(), SymbolDCEPass(), InsertFuncCallReshardsPass()),
            self._export_pipeline,
        )

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        """All passes, in order."""
        return (*self.passes_before_propagation, self.propagation, *self.passes_after_propagation)

    @property
    def _import_pipeline(self) -> ImportPipelinePass:
        return ImportPipelinePass(**options_of(self, ImportOptions, DebugOptions))

    @property
    def _export_pipeline(self) -> ExportPipelinePass:
        return ExportPipelinePass(
            dump_directory=self.module_dump_directory,
            dump_sharding_origins=self.debug_sharding_origins,
            dump_propagation_edges=self.debug_propagation_edge_sharding,
            first_dump=1,
            **options_of(self, PartitioningOptions, RuleOptions, SignatureOptions),
        )

    def check(self, module: ModuleOp) -> None:
        """Raise what would be raised after the import pipeline, which checks what it is given itself."""
        functions = Functions(module, dead_symbols(module)).by_name
        main_of(functions)
