"""Which device has which part of a tensor of a program."""

from xdsl.ir import Attribute

from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.shapes import is_tensor
from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.programs.sharded import Sharded
from xshardy.transforms.sdy_propagation.numbering import FunctionResult, Home


def type_of(home: Home) -> Attribute:
    """The type of a value."""
    return home.function.function_type.outputs.data[home.index] if isinstance(home, FunctionResult) else home.type


def placement(sharded: Sharded, number: int) -> DistributedTensor:
    """The parts of value `number`; without a sharding, every device of the largest mesh of `sharded` has all of it."""
    type, sharding = type_of(sharded.history.home(number)), sharded.sharding(number)
    assert is_tensor(type), "only tensors have a number"
    meshes = [op.mesh for op in sharded.module.ops if isinstance(op, MeshOp)]
    devices = max((mesh.device_count for mesh in meshes), default=1)
    return DistributedTensor.under(type, sharding, sharded.module.body.block.first_op or sharded.module, devices)
