"""`xshardy shard`: what each device holds of the largest tensors of a program, before and after propagation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, SSAValue

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import local_shape
from xshardy.dialects.sdy.ops import ShardingConstraintOp
from xshardy.dialects.sdy.sharding_text import dimensions as dimensions
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.dialects.stablehlo.types import ANY_ELEMENT, tensor_type, whole_bytes
from xshardy.planning.byte_counts import in_bytes
from xshardy.programs.sharded import Sharded
from xshardy.tools.columns import print_line, print_table
from xshardy.transforms.sdy_propagation.numbering import FunctionResult


@dataclass(frozen=True, slots=True)
class Placement:
    """A value, and its bytes per device: as annotated in the text, and after propagation."""

    name: str
    type: Attribute
    sharding: TensorShardingAttr | None
    bytes_before: int
    bytes_after: int
    is_argument: bool
    device: int | None = None
    """The only device that computes the value."""

    @property
    def is_replicated(self) -> bool:
        """Whether every device holds the whole value."""
        return self.device is None and not (
            self.sharding is not None and any(dim.axes.data for dim in self.sharding.dim_shardings)
        )

    @property
    def place(self) -> str:
        """How the value is divided, or which device computes it."""
        if self.device is not None:
            return f"on device {self.device}"
        return "replicated" if self.is_replicated else dimensions(self.sharding)


def mesh_over(value: SSAValue, sharding: TensorShardingAttr | None) -> MeshAttr | None:
    """The mesh of a sharding of `value`."""
    owner = value.owner
    op = owner.parent_op() if isinstance(owner, Block) else owner
    return None if sharding is None or op is None else lookup_mesh(sharding, op)


def bytes_per_device(value: SSAValue, sharding: TensorShardingAttr | None) -> int:
    """The bytes that a device holds of a tensor of static shape, with padding, each element in whole bytes."""
    return bytes_of_part(tensor_type(value), sharding, mesh_over(value, sharding))


def bytes_of_part(type: TensorType[Attribute], sharding: TensorShardingAttr | None, mesh: MeshAttr | None) -> int:
    """The bytes that a device holds of a tensor of this type; of all of it without a sharding or a mesh."""
    shape = type.get_shape()
    if sharding is not None and mesh is not None:
        shape = local_shape(shape, sharding, mesh)
    return prod(shape) * whole_bytes(type.element_type)


def placements(sharded: Sharded) -> Iterator[Placement]:
    """
    The tensors in the text of `sharded` that are no scalars, in text order.

    The result of a constraint is not among them where it has the sharding of its operand: it is the same tensor, and
    JAX writes a constraint behind every operation over explicit axes.
    """
    history = sharded.history
    for number in history.numbers():
        home = history.home(number)
        if isinstance(home, FunctionResult) or not isinstance(home.type, TensorType) or not sharded.names.knows(home):
            continue
        type = tensor_type(home)
        if not type.get_shape() or type.element_type not in ANY_ELEMENT:
            continue
        sharding = sharded.sharding(number)
        if isinstance(home.owner, ShardingConstraintOp):
            constrained = history.number(home.owner.input)
            if constrained is not None and sharded.sharding(constrained) == sharding:
                continue
        mesh = mesh_over(home, sharding)
        yield Placement(
            sharded.names.describe(home),
            type,
            sharding,
            bytes_per_device(home, history.written(number)),
            bytes_of_part(type, sharding, mesh),
            isinstance(home, BlockArgument) and isinstance(home.block.parent_op(), FuncOp),
            None if mesh is None else mesh.maximal_device_id,
        )


def placements_as_json(all_placements: Sequence[Placement]) -> dict[str, object]:
    """The tensors as `--json` prints them; bytes are those of one device."""
    tensors = [
        {
            "tensor": each.name,
            "type": str(each.type),
            "argument": each.is_argument,
            "sharding": dimensions(each.sharding) or None,
            "bytes": each.bytes_after,
            "bytes_before": each.bytes_before,
        }
        for each in all_placements
    ]
    return {"tensors": tensors}


def print_placements(all_placements: Sequence[Placement], top: int) -> None:
    """A table of the `top` largest tensors, and the sums of all."""
    largest = sorted(all_placements, key=lambda placement: -placement.bytes_before)[:top]
    rows = [
        (
            placement.name,
            str(placement.type),
            placement.place,
            in_bytes(placement.bytes_after),
            in_bytes(placement.bytes_before),
        )
        for placement in largest
    ]
    print_table(("tensor", "type", "sharding", "per device", "before"), rows, left=3)
    for what, some in (
        ("arguments", [placement for placement in all_placements if placement.is_argument]),
        ("other tensors", [placement for placement in all_placements if not placement.is_argument]),
    ):
        replicated = [placement for placement in some if placement.is_replicated]
        print_line(
            f"{what}: {in_bytes(sum(p.bytes_after for p in some))} per device, before "
            f"{in_bytes(sum(p.bytes_before for p in some))}; {len(replicated)} of {len(some)} are replicated, "
            f"{in_bytes(sum(p.bytes_after for p in replicated))}"
        )
