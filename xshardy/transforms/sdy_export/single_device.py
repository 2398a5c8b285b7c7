"""
Operations on a single device: their operands move to it, and their results are copied to all devices.

Source: C++ Shardy, where results sharded over a mesh of one device mark such operations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.sdy.value_shardings import enclosing_module, lookup_mesh
from xshardy.dialects.shapes import is_tensor, rank_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy_export.moves import IndexedMoves, Move, Reshard


def is_on_single_device(sharding: TensorShardingAttr | None, op: Operation) -> bool:
    """Whether `sharding`, of a value of `op`, is over a mesh of one device."""
    mesh = None if sharding is None else lookup_mesh(sharding, op)
    return mesh is not None and mesh.is_maximal


def device_of(op: Operation) -> TensorShardingAttr | None:
    """
    The sharding over one device that results of `op` have, of rank 0; None if none has.

    Raises `OperationFailedException` if they name different devices.
    """
    found: TensorShardingAttr | None = None
    for result in op.results:
        sharding = sharding_of(result)
        if sharding is None or not is_on_single_device(sharding, op):
            continue
        if found is not None and lookup_mesh(found, op) != lookup_mesh(sharding, op):
            raise OperationFailedException(op, f"'{op.name}' op has conflicting single-device result shardings")
        found = TensorShardingAttr.fully_closed(sharding.mesh_or_ref, 0)
    return found


def mesh_of_devices(module: ModuleOp) -> MeshOp | None:
    """The first mesh of `module` that has axes."""
    return next((op for op in module.ops if isinstance(op, MeshOp) and op.mesh.axes.data), None)


@dataclass(frozen=True, slots=True)
class SingleDeviceMoves:
    """The moves of operands and results that let a single device execute an operation, and its own shardings."""

    operands: IndexedMoves
    results: IndexedMoves
    shardings: Mapping[int, TensorShardingAttr]
    """The sharding of each tensor result on the operation itself, by index."""


def single_device_moves(op: Operation, reads: Sequence[TensorShardingAttr | None]) -> SingleDeviceMoves | None:
    """
    The moves that let a single device execute `op`, whose operands have the shardings `reads`.

    Operands are replicated, then moved to the device; results take the reverse path. Tokens are not moved, and keep
    their sharding. None if `op` has no result on a single device, and in a module without a mesh that has axes.
    """
    device, module = device_of(op), enclosing_module(op)
    assert module is not None
    everywhere = mesh_of_devices(module)
    if device is None or everywhere is None:
        return None
    name = everywhere.sym_name.data
    operands: list[tuple[int, Move]] = []
    for index, (operand, sharding) in enumerate(zip(op.operands, reads, strict=True)):
        if is_tensor(operand.type):
            replicated = TensorShardingAttr.fully_closed(name, rank_of(operand))
            operands += (
                (index, Reshard(step)) for step in _intermediate_shardings(device, sharding or replicated, replicated)
            )
    results: list[tuple[int, Move]] = []
    shardings: dict[int, TensorShardingAttr] = {}
    for index, result in enumerate(op.results):
        if is_tensor(result.type):
            sharding, replicated = sharding_of(result), TensorShardingAttr.fully_closed(name, rank_of(result))
            results.append((index, Reshard(replicated)))
            if sharding is not None and not is_on_single_device(sharding, op) and sharding != replicated:
                results.append((index, Reshard(sharding)))
            shardings[index] = device
    return SingleDeviceMoves(operands, results, shardings)


def _intermediate_shardings(
    device: TensorShardingAttr, sharding: TensorShardingAttr, replicated: TensorShardingAttr
) -> Sequence[TensorShardingAttr]:
    """The shardings that a tensor takes on its way from `sharding` to `device`; empty if it is already there."""
    if not sharding.is_fully_replicated:
        return replicated, device
    if sharding.mesh_or_ref == device.mesh_or_ref:
        return ()
    return (device,) if sharding.mesh_or_ref == replicated.mesh_or_ref else (replicated, device)
