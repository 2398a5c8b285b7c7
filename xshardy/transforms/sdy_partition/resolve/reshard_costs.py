"""How many elements a device receives when tensors are resharded by the plans of `reshard_to_collectives.py`."""

from collections.abc import Sequence
from math import prod

from xdsl.ir import Operation, SSAValue

from xshardy.axes.spans import size_of
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import local_shape
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.sharding.resharding import AllGather, AllSlice, AllToAll, CollectivePermute
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy_export.factor_conflicts import Resolution
from xshardy.transforms.sdy_export.reshard_to_collectives import planned_steps


def elements_received(
    before: TensorShardingAttr, after: TensorShardingAttr, shape: Sequence[int], mesh: MeshAttr
) -> int:
    """How many elements a device receives when a tensor of `shape` is resharded. Both shardings are over `mesh`."""
    total, size = 0, prod(local_shape(shape, before, mesh))
    for planned in planned_steps(before, after, shape, mesh):
        previous, size = size, prod(local_shape(shape, planned.sharding, mesh))
        match planned.step:
            case AllSlice():
                pass
            case CollectivePermute():
                total += size
            case AllToAll(axes):
                total += size - size // size_of(axes)
            case AllGather():
                total += size - previous
    return total


def elements_received_by(op: Operation, resolution: Resolution) -> int:
    """How many elements a device receives in the reshards around `op`, whose tensors have static shapes."""

    def moved(value: SSAValue, planned: TensorShardingAttr | None, *, is_result: bool) -> int:
        if planned is None or (mesh := lookup_mesh(planned, op)) is None:
            return 0
        shape = tensor_type(value).get_shape()
        own = sharding_of(value) or TensorShardingAttr.fully_closed(planned.mesh_or_ref, len(shape))
        before, after = (planned, own) if is_result else (own, planned)
        return elements_received(before, after, shape, mesh)

    operands = zip(op.operands, resolution.operands, strict=True)
    results = zip(op.results, resolution.results, strict=True)
    return sum(moved(*each, is_result=False) for each in operands) + sum(
        moved(*each, is_result=True) for each in results
    )
