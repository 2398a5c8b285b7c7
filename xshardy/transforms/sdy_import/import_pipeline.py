"""The import passes in the order in which propagation needs them. Source: Shardy's docs, "Import passes"."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xshardy.dialects.sdy.ops import ManualComputationOp
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.pipeline_pass import PipelinePass
from xshardy.transforms.sdy.call_order import acyclic_callees_first
from xshardy.transforms.sdy.function_copies import Functions
from xshardy.transforms.sdy.pipeline_options import DebugOptions, ImportOptions
from xshardy.transforms.sdy_import.add_data_flow_edges import AddDataFlowEdgesPass
from xshardy.transforms.sdy_import.apply_sharding_constraints import ApplyShardingConstraintsPass
from xshardy.transforms.sdy_import.constant_or_scalar_splitter import ConstantOrScalarSplitterPass
from xshardy.transforms.sdy_import.explicit_gather_scatter_batching import ExplicitGatherScatterBatchingPass
from xshardy.transforms.sdy_import.lift_inlined_meshes import LiftInlinedMeshesPass
from xshardy.transforms.sdy_import.manual_axes_cleanup import ManualAxesCleanupPass, check_manual_axes
from xshardy.transforms.sdy_import.propagate_sharding_from_func_to_call import PropagateShardingFromFuncToCallPass
from xshardy.transforms.sdy_import.remove_size_one_axes import RemoveSizeOneAxesPass
from xshardy.transforms.sdy_import.sharding_group_import import (
    ShardingGroupImportPass,
    groups_in_manual_computations,
    validate_groups,
)
from xshardy.transforms.symbol_dce import SymbolDCEPass, dead_symbols


@dataclass(frozen=True)
class ImportPipelinePass(DebugOptions, ImportOptions, PipelinePass):
    """
    Prepare a module for propagation. A module that cannot be imported stays as it is.

    With `dedup_functions_fully`, constraints and sharding groups are imported too; otherwise propagation imports them
    after it has inlined the calls.
    """

    name = "sdy-import-pipeline"
    source: ClassVar[str] = 'Shardy, "Import passes", sdy-import-pipeline'

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        """The passes, in order."""
        batching = (ExplicitGatherScatterBatchingPass(),) if self.enable_explicit_gather_scatter_batching else ()
        # Groups come after constraints, so that the shardings that constraints give to their members are there.
        constraints = (
            ApplyShardingConstraintsPass(self.debug_sharding_origins, self.debug_propagation_edge_sharding),
            ShardingGroupImportPass(),
        )
        return (
            SymbolDCEPass(),
            LiftInlinedMeshesPass(),
            RemoveSizeOneAxesPass(),
            PropagateShardingFromFuncToCallPass(),
            ConstantOrScalarSplitterPass(),
            *batching,
            SymbolDCEPass(),  # copies of constant functions leave the originals without a call
            ManualAxesCleanupPass(),
            AddDataFlowEdgesPass(),
            *(constraints if self.dedup_functions_fully else ()),
        )

    def check(self, module: ModuleOp) -> None:
        """Raise the errors of the passes before any of them changes `module`. Dead symbols are not checked."""
        dead = dead_symbols(module)
        alive = [op for op in module.ops if op not in dead]
        acyclic_callees_first(Functions(module, dead))
        for computation in (computation for op in alive for computation in operations_of(op, ManualComputationOp)):
            check_manual_axes(computation)
        if self.dedup_functions_fully:
            validate_groups(group for op in alive for group in groups_in_manual_computations(op))
