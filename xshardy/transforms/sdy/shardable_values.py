"""
Where the sharding of a value is kept, and reading and setting it there.

A value that belongs to a data flow edge has the sharding of the edge. Any other value has its own: as an attribute of a
function argument, as `sdy.sharding` of the operation that produces it, or as a property of that operation.
"""

from collections.abc import Mapping

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.interfaces import CollectiveOpInterface, ShardableDataFlowOpInterface
from xshardy.dialects.sdy.ops import DataFlowEdgeOp
from xshardy.dialects.sdy.value_shardings import SHARDING, function_argument_sharding, local_sharding
from xshardy.dialects.shapes import rank_of
from xshardy.transforms.sdy.data_flow import edge_of, operation_around, owner_of
from xshardy.transforms.sdy.op_kinds import traits_of


def owner_sharding(owner: SSAValue) -> TensorShardingAttr | None:
    """The sharding that the owner of an edge has itself, without manual axes inside of a manual computation."""
    return local_sharding(owner)


def shardable_value(value: SSAValue) -> SSAValue | None:
    """
    The value that carries the sharding of `value`: the edge it belongs to, or itself.

    None for an argument of a region that no edge enters, such as the body of a reduction.
    """
    if (edge := edge_of(value)) is not None:
        return edge.result
    if isinstance(value, OpResult) or isinstance(operation_around(value), FuncOp):
        return value
    return owner_of(value)


def sharding_of(value: SSAValue) -> TensorShardingAttr | None:
    """The sharding of `value`; if it belongs to a data flow edge, that of the edge."""
    if type(value) is OpResult:
        traits = traits_of(type(op := value.op))
        is_elsewhere = traits.has_flow or traits.has_own_sharding or traits.is_edge or "sharding" in op.properties
        if not is_elsewhere:  # most values: a few look-ups, and no test of an abstract class
            if (known := op.attributes.get(SHARDING)) is None or not isinstance(known, TensorShardingPerValueAttr):
                return None
            listed = known.shardings.data
            return listed[value.index] if value.index < len(listed) else None
    elif isinstance(value, BlockArgument) and isinstance(around := value.block.parent_op(), FuncOp):
        return function_argument_sharding(around, value.index)
    carrier = shardable_value(value)
    return None if carrier is None else owner_sharding(carrier)


def set_sharding(value: SSAValue, sharding: TensorShardingAttr) -> None:
    """
    Set the sharding of `value`, no argument of a function, where `sharding_of` reads it.

    Does nothing if `value` has no place for a sharding.
    """
    carrier = shardable_value(value)
    if carrier is None:
        return
    if isinstance(carrier, BlockArgument):
        around = carrier.block.parent_op()
        if isinstance(around, ShardableDataFlowOpInterface):
            around.set_edge_owner_sharding(carrier, sharding)
        return
    op = carrier.owner
    assert isinstance(op, Operation) and isinstance(carrier, OpResult)
    if isinstance(op, CollectiveOpInterface):
        op.properties["out_sharding"] = sharding
    elif "sharding" in op.properties or isinstance(op, DataFlowEdgeOp):
        op.properties["sharding"] = sharding
    elif isinstance(op, ShardableDataFlowOpInterface):
        op.set_edge_owner_sharding(carrier, sharding)
    else:
        set_result_shardings(op, {carrier.index: sharding})


def set_result_shardings(op: Operation, by_index: Mapping[int, TensorShardingAttr]) -> None:
    """Set the shardings of some results of `op` in `sdy.sharding`; results without a sharding become fully open."""
    known = op.attributes.get(SHARDING)
    if isinstance(known, TensorShardingPerValueAttr):
        others = known.shardings.data
    else:
        mesh = next(iter(by_index.values())).mesh_or_ref
        others = [TensorShardingAttr.fully_open(mesh, rank_of(result)) for result in op.results]
    op.attributes[SHARDING] = TensorShardingPerValueAttr(by_index.get(i, other) for i, other in enumerate(others))
