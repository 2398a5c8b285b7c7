"""The pipeline from a module with propagated shardings to the program that each device executes."""

from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xshardy.transforms.pipeline_pass import PipelinePass
from xshardy.transforms.sdy_export.canonicalize_communication import (
    CanonicalizeCollectivesPass,
    CanonicalizeReshardsPass,
)
from xshardy.transforms.sdy_export.drop_sharding_and_mesh import DropShardingAndMeshPass
from xshardy.transforms.sdy_export.insert_explicit_reshards import InsertExplicitReshardsPass
from xshardy.transforms.sdy_export.reshard_to_collectives import ReshardToCollectivesPass
from xshardy.transforms.sdy_partition.device_counts import check_device_counts
from xshardy.transforms.sdy_partition.local.convert_global_to_local import ConvertGlobalToLocalPass
from xshardy.transforms.sdy_partition.local.merge_collective_permutes import MergeCollectivePermutesPass
from xshardy.transforms.sdy_partition.pad.pad_for_divisibility import PadForDivisibilityPass
from xshardy.transforms.sdy_partition.resolve.choose_cheaper_reshards import ChooseCheaperReshardsPass
from xshardy.transforms.sdy_partition.resolve.gather_between_meshes import GatherBetweenMeshesPass
from xshardy.transforms.sdy_partition.resolve.remove_needless_reshards import RemoveNeedlessReshardsPass
from xshardy.transforms.sdy_partition.resolve.replicate_whole_operations import ReplicateWholeOperationsPass
from xshardy.transforms.sdy_partition.resolve.resolve_permutation_factors import ResolvePermutationFactorsPass
from xshardy.transforms.sdy_partition.resolve.resolve_single_device_sharding import ResolveSingleDeviceShardingPass
from xshardy.transforms.sdy_partition.resolve.scatter_sliced_reductions import ScatterSlicedReductionsPass
from xshardy.transforms.sdy_partition.resolve.sum_short_gathers import SumShortGathersPass


@dataclass(frozen=True)
class PartitionerPipelinePass(PipelinePass):
    """
    Partition a module whose shardings are propagated and exported: insert data movement, then make it local.

    With `enable_halo_exchange`, parts get elements of other parts in exchanges, and with `fewest_bytes` only those
    that they need; else they get whole dimensions. Devices are numbered by replica if `replica_count` is more than 1,
    else by partition.
    """

    name = "sdy-partitioner-pipeline"
    source: ClassVar[str] = "Shardy's executable tests of its partitioner"
    enable_halo_exchange: bool = True
    fewest_bytes: bool = True
    replica_count: int = 1
    partition_count: int = 1

    def check(self, module: ModuleOp) -> None:
        check_device_counts(module)

    @property
    def data_movement(self) -> tuple[ModulePass, ...]:
        """The passes that insert data movement between devices. Tensors stay whole."""
        counts = self.replica_count, self.partition_count
        resolve = ResolvePermutationFactorsPass(self.enable_halo_exchange, *counts, self.fewest_bytes)
        # What tensors that are sharded alike can exchange, reshards would gather: concatenations, uneven reshapes.
        exchanges = (replace(resolve, only_exchanges=True),) if self.enable_halo_exchange else ()
        first = (*exchanges, ChooseCheaperReshardsPass()) if self.fewest_bytes else ()
        to_collectives = ReshardToCollectivesPass(), CanonicalizeCollectivesPass()
        return (
            *first,
            InsertExplicitReshardsPass(enable_full_version=True, divide_sums=True),
            ReplicateWholeOperationsPass(),
            resolve,
            ReplicateWholeOperationsPass(refused=True),
            CanonicalizeReshardsPass(),
            RemoveNeedlessReshardsPass(),
            GatherBetweenMeshesPass(),
            ResolveSingleDeviceShardingPass(*counts),
            *to_collectives,
            SumShortGathersPass(*counts),
            PadForDivisibilityPass(),
            ReplicateWholeOperationsPass(refused=True),
            *to_collectives,
            ScatterSlicedReductionsPass(),
        )

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        """The passes, in order."""
        local = ConvertGlobalToLocalPass(replica_count=self.replica_count, partition_count=self.partition_count)
        return (*self.data_movement, local, MergeCollectivePermutesPass(), DropShardingAndMeshPass())
