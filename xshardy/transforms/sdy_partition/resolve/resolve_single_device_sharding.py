"""Execute operations on one device if their results are only there, and distribute the results to all devices."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import FixedBitwidthType, ModuleOp, TensorType, i64
from xdsl.dialects.func import CallOp
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import dense, dense_values
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, AxisRefListAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.collectives import AllReduceOp
from xshardy.dialects.sdy.ops import MeshOp, ReshardOp
from xshardy.dialects.sdy.value_shardings import SHARDING, lookup_mesh
from xshardy.dialects.shapes import is_tensor, rank_of
from xshardy.dialects.stablehlo.attributes import ComparisonDirection
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.rewriting import INNER_FIRST, DecisionPattern, PatternPass, Walk
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.shardable_values import set_sharding, sharding_of
from xshardy.transforms.sdy_export.reshard_checks import rare_features
from xshardy.transforms.sdy_export.single_device import device_of, is_on_single_device, mesh_of_devices
from xshardy.transforms.sdy_export.sink_data_flow_edges import FLOW_OPS

ON_ALL_DEVICES = (*FLOW_OPS, stablehlo.IfOp, CallOp, stablehlo.ConstantOp, stablehlo.IotaOp)
"""
Operations that each device executes, with whole tensors, also if their results are on one: in loops, branches and
functions may be operations between devices, and constants need no distribution.
"""

NUMBER = TensorType(i64, [])
"""The type of a device number."""


def target_of(op: Operation) -> int | None:
    """
    The number of the single device that the result tensors of `op` are on; None if none of them is on one.

    Raises `OperationFailedException` if a result is on another device, is divided, or has a type without zeros.
    """
    tensors = {result: sharding_of(result) for result in op.results if is_tensor(result.type)}
    if not any(is_on_single_device(sharding, op) for sharding in tensors.values()):
        return None
    for type in (tensor_type(result) for result in tensors):
        if not (type.has_static_shape() and isinstance(type.element_type, FixedBitwidthType)):
            raise OperationFailedException(
                op, f"'{op.name}' op makes a {type}, of which no zeros can be written for the other devices"
            )
    device = device_of(op)
    mesh = None if device is None else lookup_mesh(device, op)
    assert mesh is not None
    for sharding in tensors.values():
        if sharding is not None and not (is_on_single_device(sharding, op) or sharding.is_fully_replicated):
            raise OperationFailedException(
                op,
                f"'{op.name}' op has a result on device {mesh.device_ids.data[0].data} alone, and one that is divided "
                "among devices: reshard the second after the operation",
            )
    return mesh.device_ids.data[0].data


def is_on_device(device: int, *, by_replica: bool) -> Iterator[Operation]:
    """Operations that compute whether the executing device is `device`; the last one has the condition."""
    number = stablehlo.ReplicaIdOp() if by_replica else stablehlo.PartitionIdOp()
    wide = stablehlo.ConvertOp(number.result, NUMBER)
    wanted = stablehlo.ConstantOp(dense_values(NUMBER, [device]))
    yield from (number, wide, wanted)
    yield stablehlo.CompareOp(wide.result, wanted.output, ComparisonDirection.EQ)


def neutral_value(result: OpResult) -> Operation:
    """The value of `result` on the other devices, neutral in the reduction: zeros, or a token."""
    if not is_tensor(result.type):
        return stablehlo.CreateTokenOp()
    element = result.type.element_type
    assert isinstance(element, FixedBitwidthType)  # checked by `target_of`
    return stablehlo.ConstantOp(dense(result.type, bytes(element.compile_time_size)))


def returning(operations: Sequence[Operation]) -> Region:
    """A region with `operations` that returns all their results."""
    return Region(Block([*operations, stablehlo.ReturnOp(*(result for op in operations for result in op.results))]))


def without_reshards(op: Operation) -> tuple[Operation, list[ReshardOp]]:
    """Clone `op` without its sharding, bypassing reshards of its operands to a single device; also return these."""
    copy = op.clone()
    copy.attributes.pop(SHARDING, None)
    reshards: list[ReshardOp] = []
    for index, operand in enumerate(op.operands):
        reshard = operand.owner
        if isinstance(reshard, ReshardOp) and is_on_single_device(reshard.sharding, reshard):
            copy.operands[index] = reshard.input
            reshards.append(reshard)
    return copy, reshards


def devices_of_operations(module: ModuleOp) -> Mapping[Operation, int]:
    """
    The operations of `module` on a single device, with its number.

    Operations of sdy and `ON_ALL_DEVICES` do not count. Raises `OperationFailedException` as `target_of`.
    """
    functions = functions_of(module).values()
    operations = (op for function in functions for op in operations_in(function, inner_first=True))
    return {
        op: device
        for op in operations
        if not (op.name.startswith("sdy.") or isinstance(op, ON_ALL_DEVICES)) and (device := target_of(op)) is not None
    }


@dataclass(frozen=True)
class ExecuteOnSingleDevice(DecisionPattern[Operation, int]):
    """
    `f(x)` -> `all_reduce(if device_id == device then f(x) else 0)`, reduced along all axes of `mesh`.

    Tokens are not reduced, nor is what only operations on the same device read. Reshards of `x` to the device, and of
    the result to all devices, are bypassed, and erased if nothing else reads them.
    """

    mesh: MeshOp | None
    """A mesh of several devices. None only without `decisions`."""
    by_replica: bool
    """Whether devices are numbered by replica instead of by partition."""

    def rewrite(self, op: Operation, decision: int, rewriter: PatternRewriter, /) -> None:
        assert self.mesh is not None
        copy, reshards = without_reshards(op)
        condition = [*is_on_device(decision, by_replica=self.by_replica)]
        conditional = stablehlo.IfOp(
            condition[-1].results[0], returning([copy]), returning([neutral_value(result) for result in op.results])
        )
        before = InsertPoint.before(op)
        rewriter.insert([*condition, conditional], before)
        axes = AxisRefListAttr(AxisRefAttr(name) for name in self.mesh.mesh.sizes)
        for result, value in zip(op.results, conditional.results, strict=True):
            everywhere = TensorShardingAttr.fully_closed(self.mesh.sym_name.data, rank_of(result))
            elsewhere = [use for use in result.uses if not self._stays(use.operation, decision)]
            if is_tensor(result.type) and elsewhere:
                reduced = rewriter.insert(AllReduceOp(value, axes, everywhere), before)
                for use in elsewhere:
                    use.operation.operands[use.index] = reduced.result
                    rewriter.notify_op_modified(use.operation)
                _erase_reshards(reduced.result, everywhere, rewriter)
            rewriter.replace_all_uses_with(result, value)
        rewriter.erase(op)
        for reshard in dict.fromkeys(reshards):
            if reshard.result.first_use is None:
                rewriter.erase(reshard)

    def _stays(self, user: Operation, device: int) -> bool:
        """Whether only operations on `device` read what `user` reads, perhaps by way of a reshard."""
        if isinstance(user, ReshardOp) and is_on_single_device(user.sharding, user):
            return all(self._stays(use.operation, device) for use in user.result.uses)
        return self.decisions.get(user) == device


def _erase_reshards(value: SSAValue, everywhere: TensorShardingAttr, rewriter: PatternRewriter) -> None:
    """Erase the reshards of `value` to `everywhere`, the sharding that it has."""
    for user in [use.operation for use in value.uses]:
        if isinstance(user, ReshardOp) and user.sharding == everywhere:
            rewriter.replace(user, [], [value])


class ExecuteEverywhere(DecisionPattern[Operation, Mapping[OpResult, TensorShardingAttr]]):
    """`while(%x) <@device_2, []>` -> `while(%x) <@mesh, [{}, {}]>`; so branches, calls and constants."""

    def rewrite(
        self, op: Operation, decision: Mapping[OpResult, TensorShardingAttr], rewriter: PatternRewriter, /
    ) -> None:
        for result, sharding in decision.items():
            set_sharding(result, sharding)
        rewriter.notify_op_modified(op)


def whole_results(module: ModuleOp, mesh: MeshOp) -> Mapping[Operation, Mapping[OpResult, TensorShardingAttr]]:
    """The results of `ON_ALL_DEVICES` that are on a single device, with their sharding over all devices of `mesh`."""
    found: dict[Operation, Mapping[OpResult, TensorShardingAttr]] = {}
    for function in functions_of(module).values():
        for op in operations_in(function):
            if isinstance(op, ON_ALL_DEVICES):
                found[op] = {
                    result: TensorShardingAttr.fully_closed(mesh.sym_name.data, rank_of(result))
                    for result in op.results
                    if is_on_single_device(sharding_of(result), op)
                }
    return {op: shardings for op, shardings in found.items() if shardings}


@dataclass(frozen=True)
class ResolveSingleDeviceShardingPass(PatternPass):
    """
    Put operations on a single device into a branch on the device number, and distribute their results.

    Each device executes loops, branches and calls whose results are on a single device, and makes constants. Devices
    are numbered by replica if `replica_count` is more than 1, else by partition. A module without a mesh of several
    devices does not change; an invalid module is left as it was.
    """

    name = "sdy-resolve-single-device-sharding"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-resolve-single-device-sharding'
    replica_count: int = 1
    partition_count: int = 1

    walk: ClassVar[Walk] = INNER_FIRST

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        if self.replica_count > 1 and self.partition_count > 1:
            raise PassFailedException("devices are numbered by replica or by partition: leave one of the counts at 1")
        mesh, by_replica = mesh_of_devices(module), self.replica_count > 1
        if mesh is None or not rare_features(module).single_device:
            return ExecuteOnSingleDevice({}, mesh, by_replica), ExecuteEverywhere({})
        devices, whole = devices_of_operations(module), whole_results(module, mesh)
        return ExecuteOnSingleDevice(devices, mesh, by_replica), ExecuteEverywhere(whole)
