"""The pipeline of export passes, from a module with propagated shardings to one for a partitioner."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xshardy.ir import clone_operation
from xshardy.rewriting.operation_index import indexed
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.pipeline_pass import PipelinePass
from xshardy.transforms.save_module import SaveModulePass
from xshardy.transforms.sdy.main_function import main_function
from xshardy.transforms.sdy.pipeline_options import PartitioningOptions, RuleOptions, SignatureOptions
from xshardy.transforms.sdy_export.canonicalize_communication import (
    CanonicalizeCollectivesPass,
    CanonicalizeReshardsPass,
)
from xshardy.transforms.sdy_export.close_shardings import CloseShardingsPass
from xshardy.transforms.sdy_export.constant_or_scalar_merger import ConstantOrScalarMergerPass
from xshardy.transforms.sdy_export.drop_sharding_rules import DropShardingRulesPass
from xshardy.transforms.sdy_export.inline_meshes import InlineMeshesPass
from xshardy.transforms.sdy_export.insert_explicit_reshards import InsertExplicitReshardsPass
from xshardy.transforms.sdy_export.optimize_collectives import OptimizeCollectivesPass
from xshardy.transforms.sdy_export.remove_all_gather_reduce_scatter_for_cmv1 import (
    RemoveAllGatherReduceScatterForCMV1Pass,
)
from xshardy.transforms.sdy_export.remove_propagation_debug_info import RemovePropagationDebugInfoPass
from xshardy.transforms.sdy_export.remove_sharding_groups import RemoveShardingGroupsPass
from xshardy.transforms.sdy_export.remove_sub_axes_in_input_output_shardings import (
    RemoveSubAxesInInputOutputShardingsPass,
)
from xshardy.transforms.sdy_export.reshard_checks import rare_features
from xshardy.transforms.sdy_export.reshard_to_collectives import ReshardToCollectivesPass
from xshardy.transforms.sdy_export.sharding_constraint_to_reshard import ShardingConstraintToReshardPass
from xshardy.transforms.sdy_export.sink_data_flow_edges import SinkDataFlowEdgesPass
from xshardy.transforms.sdy_export.update_non_divisible_input_output_shardings import (
    UpdateNonDivisibleInputOutputShardingsPass,
)
from xshardy.transforms.sdy_export.verify_unreduced_axes import VerifyUnreducedAxesPass
from xshardy.universe import PASSES, load


@dataclass(frozen=True)
class DumpOptions:
    """Where the dumps of the export pipeline go."""

    dump_directory: str = ""
    """Where to write the module after stages of the pipeline; nowhere if empty."""


@dataclass(frozen=True)
class DumpedRecords:
    """Which debugging records of propagation the dumps of the export pipeline show."""

    dump_sharding_origins: bool = False
    """Whether the dumps show the origins of shardings."""
    dump_propagation_edges: bool = False
    """Whether the dumps show along which edges shardings were propagated."""


@dataclass(frozen=True)
class ExportPipelinePass(SignatureOptions, DumpedRecords, RuleOptions, PartitioningOptions, DumpOptions, PipelinePass):
    """
    Remove what only propagation needs, close all shardings, and insert data movement.

    A module that cannot be exported is left as it was.
    """

    name = "sdy-export-pipeline"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-export-pipeline'
    inline_meshes: bool = True  # as upstream; False is the default of the propagation pipeline
    enable_per_instruction_partitioning: bool = False
    """Whether to replace single operations by the program of each device."""
    per_instruction_partitioning_filter: tuple[str, ...] = ()
    """Which operations, as the filter of `sdy-per-instruction-partitioning`; all if empty."""
    replica_count: int = 1
    """The number of replicas, for operations that are partitioned one by one."""
    partition_count: int = 1
    """The number of partitions, for the same."""
    optimize_collectives: bool = False
    """Whether collectives may be replaced by others that move fewer elements. Not an option upstream."""
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
            yield UpdateNonDivisibleInputOutputShardingsPass(self.pad_calls)
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
        """The passes that insert data movement; with `enable_insert_explicit_collectives`, as collectives."""
        collectives, single = self.enable_insert_explicit_collectives, self.enable_per_instruction_partitioning
        yield VerifyUnreducedAxesPass()
        yield InsertExplicitReshardsPass(enable_full_version=collectives or single)
        if single:
            yield SaveModulePass(self.dump_directory, "before_per_instruction_partitioning", next(dumps))
            # The partitioner is a room above this one, loaded by name and for this option only.
            yield load(PASSES["sdy-per-instruction-partitioning"])(
                self.per_instruction_partitioning_filter,
                replica_count=self.replica_count,
                partition_count=self.partition_count,
            )
            yield SaveModulePass(self.dump_directory, "after_per_instruction_partitioning", next(dumps))
        elif collectives:
            yield SaveModulePass(self.dump_directory, "after_explicit_reshards", next(dumps))
            yield CanonicalizeReshardsPass()
            yield ReshardToCollectivesPass()
            if self.optimize_collectives:
                yield OptimizeCollectivesPass()
        yield CanonicalizeCollectivesPass()
        if collectives and self.remove_all_gather_reduce_scatter_for_cmv1:
            yield RemoveAllGatherReduceScatterForCMV1Pass()
        stage = "after_partitioner" if collectives else "after_minimal_partitioner"
        yield SaveModulePass(self.dump_directory, f"{stage}_with_global_shapes", next(dumps))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        with indexed(op):
            self.check(op)
            # Passes detect errors in such modules only after earlier passes have changed them.
            fails_late = self.enable_per_instruction_partitioning or any(rare_features(op))
            saved = clone_operation(op) if fails_late else None
            try:
                for _ in self.applied(ctx, op):
                    pass
            except OperationFailedException:
                if saved is not None:
                    op.detach_region(op.body)
                    op.add_region(saved.detach_region(saved.body))
                raise

    def check(self, module: ModuleOp) -> None:
        """
        Raise, before anything changes, the errors that a pass would raise after earlier passes have changed `module`.
        """
        if self.update_non_divisible_input_output_shardings:
            main_function(module)
