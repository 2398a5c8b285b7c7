"""From a module as a user wrote it to one for a partitioner. Source: Shardy's docs, "Propagation"."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline

from xshardy.garbage import no_collection
from xshardy.transforms.sdy.function_copies import Functions
from xshardy.transforms.sdy.main_function import main_of
from xshardy.transforms.sdy_export.export_named_computations import ExportNamedComputationsPass
from xshardy.transforms.sdy_export.export_pipeline import ExportPipelinePass
from xshardy.transforms.sdy_export.insert_func_call_reshards import InsertFuncCallReshardsPass
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
class PropagationPipelinePass(ModulePass):
    """
    Import a module, propagate its shardings, and export it. A module that cannot be imported is left as it was.

    With `dedup_functions_fully`, functions are shared by all their calls: shardings go between these along edges.
    Without it every call gets a function of its own, and is looked into; those that come out alike are shared again.
    """

    name = "sdy-propagation-pipeline"
    dedup_functions_fully: bool = False
    enable_explicit_gather_scatter_batching: bool = False
    """Whether gathers and scatters that work row by row are made to say so."""
    module_dump_directory: str = ""
    """Where to write the module after stages of the pipeline; nowhere if empty."""
    conservative_propagation: bool = False
    """Whether axes are neither split nor used where a dimension is not divisible."""
    debug_sharding_origins: bool = False
    """Whether what is written to the folder shows where shardings came from."""
    debug_propagation_edge_sharding: bool = False
    """Whether what is written to the folder shows along which edges shardings were propagated."""
    keep_sharding_rules: bool = False
    """Whether to leave the sharding rules on operations."""
    avoid_export_for_partitioning: bool = False
    """Whether to leave constraints and groups, and insert no reshards, so that the module can be propagated again."""
    enable_insert_explicit_collectives: bool = False
    """Whether to turn reshards into collectives."""
    remove_all_gather_reduce_scatter_for_cmv1: bool = False
    """Whether to take out the collectives around products of matrices that a partitioner overlaps with them itself."""
    update_non_divisible_input_output_shardings: bool = True
    """Whether to cut the shardings of inputs and outputs where they divide nothing evenly, or into sub-axes."""
    inline_meshes: bool = False
    """Whether to write out the mesh of each sharding."""

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
        return UserPriorityPropagatePass(
            keep_sharding_rules=True,
            module_dump_directory=self.module_dump_directory,
            conservative_propagation=self.conservative_propagation,
            debug_sharding_origins=self.debug_sharding_origins,
            debug_propagation_edge_sharding=self.debug_propagation_edge_sharding,
        )

    @property
    def passes_after_propagation(self) -> tuple[ModulePass, ...]:
        """Those that take out what the others have put in, in order."""
        sink_edges_of_calls = (PropagateToFuncResultsPass(), SinkFuncDataFlowEdgesPass())
        outline_calls = (ExportNamedComputationsPass(), PropagateToFuncResultsPass())
        return (
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
        return ImportPipelinePass(
            self.dedup_functions_fully,
            self.enable_explicit_gather_scatter_batching,
            debug_sharding_origins=self.debug_sharding_origins,
            debug_propagation_edge_sharding=self.debug_propagation_edge_sharding,
        )

    @property
    def _export_pipeline(self) -> ExportPipelinePass:
        return ExportPipelinePass(
            dump_directory=self.module_dump_directory,
            avoid_export_for_partitioning=self.avoid_export_for_partitioning,
            enable_insert_explicit_collectives=self.enable_insert_explicit_collectives,
            remove_all_gather_reduce_scatter_for_cmv1=self.remove_all_gather_reduce_scatter_for_cmv1,
            keep_sharding_rules=self.keep_sharding_rules,
            dump_sharding_origins=self.debug_sharding_origins,
            dump_propagation_edges=self.debug_propagation_edge_sharding,
            update_non_divisible_input_output_shardings=self.update_non_divisible_input_output_shardings,
            inline_meshes=self.inline_meshes,
            first_dump=1,
        )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        with no_collection():
            self.check(op)
            PassPipeline(self.passes).apply(ctx, op)

    def check(self, module: ModuleOp) -> None:
        """Raise what would be raised after the import pipeline, which checks what it is given itself."""
        functions = Functions(module, dead_symbols(module)).by_name
        main_of(functions)
