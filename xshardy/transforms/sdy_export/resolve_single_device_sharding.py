"""Let one device execute what it is to execute alone. Source: Shardy's pass `sdy-resolve-single-device-sharding`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FixedBitwidthType, ModuleOp, TensorType, i64
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import dense, dense_values
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, AxisRefListAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.collectives import AllReduceOp
from xshardy.dialects.sdy.ops import MeshOp, ReshardOp
from xshardy.dialects.sdy.value_shardings import SHARDING, lookup_mesh
from xshardy.dialects.stablehlo.attributes import ComparisonDirection
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.shapes import rank_of
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy_export.single_device import device_of, is_on_single_device, mesh_of_devices

NUMBER = TensorType(i64, [])
"""The type of the number of a device."""


def target_of(op: Operation) -> int | None:
    """
    The device that alone is to execute `op`, because tensors that it makes are there; None if there are none.

    Raises `OperationFailedException` if others are elsewhere, or divided, or if the other devices cannot make zeros.
    """
    results = {result: result.type for result in op.results if isa(result.type, TensorType[Attribute])}
    tensors = [sharding_of(result) for result in results]
    if not any(is_on_single_device(sharding, op) for sharding in tensors):
        return None
    for type in results.values():
        if not (type.has_static_shape() and isinstance(type.element_type, FixedBitwidthType)):
            raise OperationFailedException(
                op, f"'{op.name}' op makes a {type}, of which no zeros can be written for the other devices"
            )
    device = device_of(op)
    mesh = None if device is None else lookup_mesh(device, op)
    assert mesh is not None
    for sharding in tensors:
        if sharding is not None and not (is_on_single_device(sharding, op) or sharding.is_fully_replicated):
            raise OperationFailedException(
                op,
                f"'{op.name}' op has a result on device {mesh.device_ids.data[0].data} alone, and one that is divided "
                "among devices: reshard the second after the operation",
            )
    return mesh.device_ids.data[0].data


def is_on_device(device: int, *, by_replica: bool) -> Iterator[Operation]:
    """Operations of which the last says whether `device` executes it."""
    number = stablehlo.ReplicaIdOp() if by_replica else stablehlo.PartitionIdOp()
    wide = stablehlo.ConvertOp(number.result, NUMBER)
    wanted = stablehlo.ConstantOp(dense_values(NUMBER, [device]))
    yield from (number, wide, wanted)
    yield stablehlo.CompareOp(wide.result, wanted.output, ComparisonDirection.EQ)


def nothing_like(result: OpResult) -> Operation:
    """What the other devices have instead of `result`: zeros, which add nothing to it, or a token."""
    if not isa(result.type, TensorType[Attribute]):
        return stablehlo.CreateTokenOp()
    element = result.type.element_type
    assert isinstance(element, FixedBitwidthType)  # `target_of` has looked
    return stablehlo.ConstantOp(dense(result.type, bytes(element.compile_time_size)))


def returning(operations: Sequence[Operation]) -> Region:
    """A region of `operations` that returns all of their results."""
    return Region(Block([*operations, stablehlo.ReturnOp(*(result for op in operations for result in op.results))]))


def without_reshards(op: Operation) -> tuple[Operation, list[ReshardOp]]:
    """A copy of `op` that reads what is not on one device yet, and without a sharding; what it does not read then."""
    copy = op.clone()
    copy.attributes.pop(SHARDING, None)
    reshards: list[ReshardOp] = []
    for index, operand in enumerate(op.operands):
        reshard = operand.owner
        if isinstance(reshard, ReshardOp) and is_on_single_device(reshard.sharding, reshard):
            copy.operands[index] = reshard.input
            reshards.append(reshard)
    return copy, reshards


def replace_result(result: OpResult, value: SSAValue, everywhere: TensorShardingAttr) -> None:
    """Let all that reads `result` read `value`, which is sharded as `everywhere`; reshards to that are not needed."""
    for use in list(result.uses):
        user = use.operation
        if isinstance(user, ReshardOp) and user.sharding == everywhere:
            Rewriter.replace_op(user, [], [value])
        else:
            user.operands[use.index] = value


def execute_alone(op: Operation, device: int, mesh: MeshOp, *, by_replica: bool) -> None:
    """
    `f(x)` -> `all_reduce(if device_id == device then f(x) else 0)`, reduced along all axes of `mesh`.

    Tokens are not reduced. Reshards of `x` to the device go, if nothing else reads them.
    """
    copy, reshards = without_reshards(op)
    place = InsertPoint.before(op)
    condition = [*is_on_device(device, by_replica=by_replica)]
    conditional = stablehlo.IfOp(
        condition[-1].results[0], returning([copy]), returning([nothing_like(result) for result in op.results])
    )
    Rewriter.insert_op([*condition, conditional], place)
    axes = AxisRefListAttr(AxisRefAttr(name) for name in mesh.mesh.sizes)
    for result, value in zip(op.results, conditional.results, strict=True):
        everywhere = TensorShardingAttr.fully_closed(mesh.sym_name.data, rank_of(result))
        if isa(result.type, TensorType[Attribute]):
            reduced = AllReduceOp(value, axes, everywhere)
            Rewriter.insert_op(reduced, place)
            replace_result(result, reduced.result, everywhere)
        else:
            result.replace_all_uses_with(value)
    Rewriter.erase_op(op)
    for reshard in dict.fromkeys(reshards):
        if reshard.result.first_use is None:
            Rewriter.erase_op(reshard)


@dataclass(frozen=True)
class ResolveSingleDeviceShardingPass(ModulePass):
    """
    Put what one device is to execute alone into a condition on the number of the device, and share its results.

    Devices are numbered by partition, or by replica if `replica_count` says that there are several. Nothing happens in
    a module without a mesh of several devices; one in which something is wrong is left as it was.
    """

    name = "sdy-resolve-single-device-sharding"
    replica_count: int = 1
    partition_count: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.replica_count > 1 and self.partition_count > 1:
            raise PassFailedException("devices are numbered by replica or by partition: leave one of the counts at 1")
        mesh = mesh_of_devices(op)
        if mesh is None:
            return
        functions = functions_of(op).values()
        operations = (inner for function in functions for inner in operations_in(function, inner_first=True))
        alone = [
            (inner, device)
            for inner in operations
            if not inner.name.startswith("sdy.") and (device := target_of(inner)) is not None
        ]
        for inner, device in alone:
            execute_alone(inner, device, mesh, by_replica=self.replica_count > 1)
