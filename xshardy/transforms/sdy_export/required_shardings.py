"""
The sharding that a use requires of its value, for uses without a sharding rule.

These are sources of data flow edges, operands of calls, and values that functions return.
"""

from collections.abc import Iterable, Iterator, Sequence

from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation, OpResult, Region, SSAValue, Use

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.interfaces import ShardableDataFlowOpInterface, ShardingTransform
from xshardy.dialects.sdy.ops import ManualComputationOp
from xshardy.dialects.sdy.value_shardings import get_sharding, lookup_mesh, without_axes
from xshardy.dialects.shapes import rank_of
from xshardy.dialects.stablehlo.control_flow import IfOp
from xshardy.transforms.sdy.data_flow import STABLEHLO_DATA_FLOWS, argument_owners, edge_of_owner, result_owners
from xshardy.transforms.sdy.function_shardings import argument_shardings, written_shardings
from xshardy.transforms.sdy.shardable_values import sharding_of

RequiredUse = tuple[Use, TensorShardingAttr | None]
"""A use, and the sharding that it requires of its value; None stands for any replicated sharding."""


def operand_of(use: Use) -> SSAValue:
    """The value of `use`."""
    return use.operation.operands[use.index]


def required_by_edges(op: Operation) -> Iterator[RequiredUse]:
    """The operands of `op` and of its regions' terminators that feed data flow edges, with the edges' shardings."""
    feeding: dict[SSAValue, list[Use]] = {owner: [] for owner in (*result_owners(op), *argument_owners(op))}
    for owner, use in _feeding_uses(op):
        feeding[owner].append(use)
    for owner, uses in feeding.items():
        required = _required_of_sources(op, owner)
        yield from ((use, required) for use in uses)


def required_by_branches(op: IfOp) -> Iterator[RequiredUse]:
    """What the branches of `op` return, with the shardings of its results. Upstream has no edges for these."""
    for end in _terminators(op.regions):
        yield from ((Use(end, index), sharding_of(result)) for index, result in enumerate(op.results))


def _feeding_uses(op: Operation) -> Iterator[tuple[SSAValue, Use]]:
    """The uses that are sources of an edge, each with the owner of the edge."""
    if isinstance(op, ShardableDataFlowOpInterface):
        for reader in (op, *_terminators(op.regions)):
            for index in range(len(reader.operands)):
                use = Use(reader, index)
                if (owner := op.edge_owner_from_source(use)) is not None:
                    yield owner, use
        return
    flow = STABLEHLO_DATA_FLOWS[type(op)](op)
    for reader in (*([op] if flow.reads_operands else []), *_terminators(flow.feeding)):
        yield from ((result, Use(reader, index)) for index, result in enumerate(op.results))


def _terminators(regions: Iterable[Region]) -> Iterator[Operation]:
    """The last operations of `regions`."""
    return (end for region in regions if (end := region.block.last_op) is not None)


def _required_of_sources(op: Operation, owner: SSAValue) -> TensorShardingAttr | None:
    """The sharding of the edge of `owner`, in the form that its sources require."""
    edge = None if isinstance(op, ManualComputationOp) else edge_of_owner(owner)
    sharding = get_sharding(owner) if edge is None else edge.sharding
    if sharding is None or not isinstance(op, ShardableDataFlowOpInterface):
        return sharding
    if isinstance(op, ManualComputationOp):
        # Shardings of operands keep the manual axes; those of values that the body returns leave them out.
        return without_axes(sharding, op.manual_axes.names) if isinstance(owner, OpResult) else sharding
    return op.transform_target_sharding(owner, sharding, ShardingTransform.BEFORE_PROPAGATION)


def required_by_call(call: CallOp, callee: FuncOp) -> Iterator[RequiredUse]:
    """
    The operands of a call, with the shardings of the callee's arguments; replicated if no argument has a sharding.
    """
    given = argument_shardings(callee)
    if given is not None:
        shardings: Sequence[TensorShardingAttr] = given.shardings.data
    else:
        like = next((known for value in call.operands if (known := _over_devices(value, call)) is not None), None)
        if like is None:
            return
        shardings = [TensorShardingAttr.fully_closed(like.mesh_or_ref, rank_of(value)) for value in call.operands]
    for index, sharding in enumerate(shardings):
        yield Use(call, index), sharding


def _over_devices(value: SSAValue, op: Operation) -> TensorShardingAttr | None:
    """The sharding of `value` if it is over a mesh other than a single device."""
    sharding = sharding_of(value)
    mesh = None if sharding is None else lookup_mesh(sharding, op)
    return None if mesh is None or mesh.is_maximal else sharding


def required_by_function(function: FuncOp) -> Iterator[RequiredUse]:
    """The values that `function` returns, with the shardings of its results."""
    shardings = written_shardings(function.res_attrs, len(function.function_type.outputs))
    for block in function.body.blocks:
        if isinstance(end := block.last_op, ReturnOp):
            yield from ((Use(end, index), sharding) for index, sharding in enumerate(shardings))
