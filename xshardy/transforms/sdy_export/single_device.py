"""
Operations that one device is to execute alone: what they read moves there first, and what they make is copied to all.

Source: C++ Shardy, which knows such operations by results that are sharded over a mesh of one device.
"""

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import MeshOp, ReshardOp
from xshardy.dialects.sdy.value_shardings import enclosing_module, lookup_mesh
from xshardy.dialects.stablehlo.types import TokenType
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.shapes import rank_of
from xshardy.transforms.sdy.shardable_values import set_sharding, sharding_of
from xshardy.transforms.sdy.uses import replace_other_uses


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


def run_on_single_device(op: Operation) -> None:
    """
    `f(x)` -> `reshard(reshard(f(reshard(reshard(x)))))`, where `f` has operands and results on one device.

    What is not replicated over all devices becomes so on the way. Tokens are not resharded. Nothing happens in a module
    without a mesh that has axes.
    """
    device, module = device_of(op), enclosing_module(op)
    everywhere = None if module is None else mesh_of_devices(module)
    if device is None or everywhere is None:
        return
    name = everywhere.sym_name.data
    wanted = [sharding_of(result) for result in op.results]
    for index, operand in enumerate(op.operands):
        if isa(operand.type, TensorType[Attribute]):
            op.operands[index] = _moved_to(operand, device, name, op)
    end = InsertPoint.after(op)
    for result, sharding in zip(op.results, wanted, strict=True):
        if not isa(result.type, TensorType[Attribute]):
            continue
        replicated = ReshardOp(result, TensorShardingAttr.fully_closed(name, rank_of(result)))
        Rewriter.insert_op(replicated, end)
        replace_other_uses(result, replicated.result, replicated)
        if sharding is not None and not is_on_single_device(sharding, op) and sharding != replicated.sharding:
            divided = ReshardOp(replicated.result, sharding)
            Rewriter.insert_op(divided, end)
            replace_other_uses(replicated.result, divided.result, divided)
    for result in op.results:
        if isa(result.type, TensorType[Attribute]):
            set_sharding(result, device)
        elif isinstance(result.type, TokenType):
            set_sharding(result, TensorShardingAttr.fully_closed(name, 0))


def _moved_to(operand: SSAValue, device: TensorShardingAttr, everywhere: str, op: Operation) -> SSAValue:
    """`operand` of `op` on `device`: moved there from all devices, if it is not there."""
    replicated = TensorShardingAttr.fully_closed(everywhere, rank_of(operand))
    sharding = sharding_of(operand) or replicated
    steps = (
        [device]
        if sharding.is_fully_replicated and sharding.mesh_or_ref == replicated.mesh_or_ref
        else [
            replicated,
            device,
        ]
    )
    if sharding.is_fully_replicated and sharding.mesh_or_ref == device.mesh_or_ref:
        return operand
    for step in steps:
        reshard = ReshardOp(operand, step)
        Rewriter.insert_op(reshard, InsertPoint.before(op))
        operand = reshard.result
    return operand
