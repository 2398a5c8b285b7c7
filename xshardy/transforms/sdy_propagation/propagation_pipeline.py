"""From a module as a user wrote it to one whose shardings are propagated. Source: Shardy's docs, "Propagation"."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline

from xshardy.transforms.sdy_import.add_func_data_flow_edges import AddFuncDataFlowEdgesPass
from xshardy.transforms.sdy_import.apply_sharding_constraints import ApplyShardingConstraintsPass
from xshardy.transforms.sdy_import.flatten_call_graph import FlattenCallGraphPass
from xshardy.transforms.sdy_import.import_func_calls import ImportFuncCallsPass
from xshardy.transforms.sdy_import.import_pipeline import ImportPipelinePass
from xshardy.transforms.sdy_import.pre_order_funcs import PreOrderFuncsPass
from xshardy.transforms.sdy_import.sharding_group_import import ShardingGroupImportPass
from xshardy.transforms.sdy_propagation.user_priority_propagate import UserPriorityPropagatePass
from xshardy.transforms.symbol_dce import SymbolDCEPass


@dataclass(frozen=True)
class PropagationPipelinePass(ModulePass):
    """
    Import a module and propagate its shardings. Rules, edges and named computations stay, for the export passes.

    With `dedup_functions_fully`, functions are shared by all their calls: shardings go between these along edges.
    Without it every call gets a function of its own, and is looked into. The other options are those of
    `sdy-user-priority-propagate`.
    """

    name = "sdy-propagation-pipeline"
    dedup_functions_fully: bool = False
    module_dump_directory: str = ""
    conservative_propagation: bool = False
    debug_sharding_origins: bool = False
    debug_propagation_edge_sharding: bool = False

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        """The passes, in order."""
        origins, edges = self.debug_sharding_origins, self.debug_propagation_edge_sharding
        look_into_calls = (
            *(FlattenCallGraphPass(), SymbolDCEPass(), ImportFuncCallsPass(), SymbolDCEPass()),
            *(ApplyShardingConstraintsPass(origins, edges), ShardingGroupImportPass()),
        )
        return (
            ImportPipelinePass(
                self.dedup_functions_fully, debug_sharding_origins=origins, debug_propagation_edge_sharding=edges
            ),
            *((AddFuncDataFlowEdgesPass(),) if self.dedup_functions_fully else look_into_calls),
            PreOrderFuncsPass(),
            UserPriorityPropagatePass(
                keep_sharding_rules=True,
                module_dump_directory=self.module_dump_directory,
                conservative_propagation=self.conservative_propagation,
                debug_sharding_origins=origins,
                debug_propagation_edge_sharding=edges,
            ),
        )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PassPipeline(self.passes).apply(ctx, op)
