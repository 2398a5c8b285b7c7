"""
From a module whose shardings have been propagated to one for a partitioner.

Source: Shardy's docs, "Export passes", and its pipeline `sdy-export-pipeline`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.exceptions import PassFailedException

from xshardy.garbage import no_collection
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.save_module import SaveModulePass
from xshardy.transforms.sdy.main_function import main_function
from xshardy.transforms.sdy_export.canonicalize_communication import (
    CanonicalizeCollectivesPass,
    CanonicalizeReshardsPass,
)
from xshardy.transforms.sdy_export.close_shardings import CloseShardingsPass
from xshardy.transforms.sdy_export.constant_or_scalar_merger import ConstantOrScalarMergerPass
from xshardy.transforms.sdy_export.drop_sharding_rules import DropShardingRulesPass
from xshardy.transforms.sdy_export.inline_meshes import InlineMeshesPass
from xshardy.transforms.sdy_export.insert_explicit_reshards import InsertExplicitReshardsPass
from xshardy.transforms.sdy_export.remove_all_gather_reduce_scatter_for_cmv1 import (
    RemoveAllGatherReduceScatterForCMV1Pass,
)
from xshardy.transforms.sdy_export.remove_propagation_debug_info import RemovePropagationDebugInfoPass
from xshardy.transforms.sdy_export.remove_sharding_groups import RemoveShardingGroupsPass
from xshardy.transforms.sdy_export.remove_sub_axes_in_input_output_shardings import (
    RemoveSubAxesInInputOutputShardingsPass,
)
from xshardy.transforms.sdy_export.reshard_checks import peculiarities
from xshardy.transforms.sdy_export.reshard_to_collectives import ReshardToCollectivesPass
from xshardy.transforms.sdy_export.sharding_constraint_to_reshard import ShardingConstraintToReshardPass
from xshardy.transforms.sdy_export.sink_data_flow_edges import SinkDataFlowEdgesPass
from xshardy.transforms.sdy_export.update_non_divisible_input_output_shardings import (
    UpdateNonDivisibleInputOutputShardingsPass,
)
from xshardy.transforms.sdy_export.verify_unreduced_axes import VerifyUnreducedAxesPass


@dataclass(frozen=True)
class ExportPipelinePass(ModulePass):
    """
    Take out of a module what only propagation needs, close its shardings, and say where tensors are moved.

    A module that cannot be exported is left as it was.
    """

    name = "sdy-export-pipeline"
    dump_directory: str = ""
    """Where to write the module after stages of the pipeline; nowhere if empty."""
    avoid_export_for_partitioning: bool = False
    """Whether to leave constraints and groups, and insert no reshards, so that the module can be propagated again."""
    enable_insert_explicit_collectives: bool = False
    """Whether to turn reshards into collectives."""
    remove_all_gather_reduce_scatter_for_cmv1: bool = False
    """Whether to take out the collectives around products of matrices that a partitioner overlaps with them itself."""
    keep_sharding_rules: bool = False
    """Whether to leave the sharding rules on operations."""
    dump_sharding_origins: bool = False
    """Whether the dumps show where shardings came from."""
    dump_propagation_edges: bool = False
    """Whether the dumps show along which edges shardings were propagated."""
    update_non_divisible_input_output_shardings: bool = True
    """Whether to cut the shardings of inputs and outputs where they divide nothing evenly, or into sub-axes."""
    inline_meshes: bool = True
    """Whether to write out the mesh of each sharding."""
    enable_per_instruction_partitioning: bool = False
    """Not supported: a module is partitioned as a whole."""
    first_dump: int = 0
    """The number of the first file that is written to `dump_directory`."""

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        """The passes, in order."""
        return tuple(self._passes())

    def _passes(self) -> Iterator[ModulePass]:
        dumps = count(self.first_dump)
        partition = not self.avoid_export_for_partitioning
        yield ConstantOrScalarMergerPass()
        yield SinkDataFlowEdgesPass(self.dump_sharding_origins, self.dump_propagation_edges)
        if partition:
            yield RemoveShardingGroupsPass()
            yield ShardingConstraintToReshardPass()
        if self.update_non_divisible_input_output_shardings:
            yield UpdateNonDivisibleInputOutputShardingsPass()
            yield RemoveSubAxesInInputOutputShardingsPass()
        yield CloseShardingsPass()
        yield SaveModulePass(self.dump_directory, "after_propagation", next(dumps))
        if partition:
            yield from self._partitioner(dumps)
        if self.dump_propagation_edges or self.dump_sharding_origins:
            yield RemovePropagationDebugInfoPass()
        if not self.keep_sharding_rules:
            yield DropShardingRulesPass()
        if partition and self.inline_meshes:
            yield InlineMeshesPass()

    def _partitioner(self, dumps: Iterator[int]) -> Iterator[ModulePass]:
        """Say where tensors are moved, and how if that is asked for."""
        collectives = self.enable_insert_explicit_collectives
        yield VerifyUnreducedAxesPass()
        yield InsertExplicitReshardsPass(enable_full_version=collectives)
        if collectives:
            yield SaveModulePass(self.dump_directory, "after_explicit_reshards", next(dumps))
            yield CanonicalizeReshardsPass()
            yield ReshardToCollectivesPass()
        yield CanonicalizeCollectivesPass()
        if collectives and self.remove_all_gather_reduce_scatter_for_cmv1:
            yield RemoveAllGatherReduceScatterForCMV1Pass()
        stage = "after_partitioner" if collectives else "after_minimal_partitioner"
        yield SaveModulePass(self.dump_directory, f"{stage}_with_global_shapes", next(dumps))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        with no_collection():
            self.check(op)
            # What is wrong with these is seen when other passes have changed the module already.
            saved = op.clone() if any(peculiarities(op)) else None
            try:
                PassPipeline(self.passes).apply(ctx, op)
            except OperationFailedException:
                if saved is not None:
                    op.detach_region(op.body)
                    op.add_region(saved.detach_region(saved.body))
                raise

    def check(self, module: ModuleOp) -> None:
        """Raise what a pass would raise when others have changed `module` already."""
        if self.enable_per_instruction_partitioning:
            raise PassFailedException(
                "single instructions cannot be partitioned: leave out enable-per-instruction-partitioning"
            )
        if self.update_non_divisible_input_output_shardings:
            main_function(module)
