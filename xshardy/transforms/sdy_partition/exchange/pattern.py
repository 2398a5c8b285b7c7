"""What the patterns of exchanges share: manual computations, and padding to a size that divides."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.attributes.axes import AxisRefs
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import (
    DimensionShardingAttr,
    TensorShardingAttr,
)
from xshardy.dialects.sdy.axis_refs import sharded_size
from xshardy.dialects.sdy.ops import ManualComputationOp, ReturnOp
from xshardy.dialects.shapes import rank_of
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.sdy.shardings import with_dimensions
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors

Body = Callable[[Sequence[SSAValue]], Sequence[SSAValue]]
"""Inserts the code of a device, given its parts, and returns its parts of the results."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a pattern decides instead of an exchange: every device gets all parts of the dimensions in question."""

    reason: str
    """Why there is no exchange: `an index is sharded`."""


NEEDS_RESHARDS = "operand and result have different axes along dimensions that move together"
NO_NEUTRAL_ELEMENT = "its body has no neutral element to take the place of padding"
READS_OUTSIDE = "its body reads values from outside"


def is_movable(tensors: WholeTensors) -> bool:
    """Whether the shapes are static, the first operand is sharded, and so is the result, over the same mesh."""
    source, target = tensors.operands[0], tensors.results[0]
    return (
        source.is_static
        and target.is_static
        and not source.is_replicated
        and not target.is_replicated
        and source.mesh == target.mesh
    )


def has_same_axes(source: WholeTensor, target: WholeTensor) -> bool:
    """Whether every dimension is sharded alike in both tensors."""
    return len(source.shape) == len(target.shape) and all(
        tuple(source.axes(dim)) == tuple(target.axes(dim)) for dim in range(len(source.shape))
    )


def sharded_dims(tensor: WholeTensor) -> list[int]:
    return [dim for dim in range(len(tensor.shape)) if tensor.parts(dim) > 1]


def part_size(tensor: WholeTensor, dim: int) -> int:
    """The number of elements of each part along `dim`, padding included."""
    return -(-tensor.shape[dim] // tensor.parts(dim))


def whole_along(tensor: WholeTensor, dims: Collection[int]) -> TensorShardingAttr | None:
    """The sharding of `tensor` without the axes of `dims`; None if they have none."""
    if tensor.sharding is None or not any(tensor.axes(dim) for dim in dims):
        return None
    whole = DimensionShardingAttr(is_closed=True)
    shardings = (whole if dim in dims else dimension for dim, dimension in enumerate(tensor.sharding.dim_shardings))
    return with_dimensions(tensor.sharding, shardings)


def divisible(extent: int, parts: int) -> int:
    """The next multiple of `parts`."""
    return -(-extent // parts) * parts


def axis_names(axes: Iterable[AxisRefs], mesh: MeshAttr) -> tuple[str, ...]:
    """The axes of `mesh` of which some part is in `axes`, in the order of the mesh."""
    named = {axis.axis.data for dim_axes in axes for axis in dim_axes}
    return tuple(name for name in mesh.sizes if name in named)


def sharded_along(tensor: WholeTensor) -> tuple[str, ...]:
    """The names of the axes that shard `tensor`."""
    return axis_names(tensor.dim_axes, tensor.mesh)


def part_of(type: Attribute, sharding: TensorShardingAttr, mesh: MeshAttr, manual: Iterable[str]) -> Attribute:
    """The type of a tensor that is local to the axes `manual`, which divide its dimensions evenly."""
    whole, names = tensor_type(type), {*manual}
    shape = [
        extent // sharded_size([axis for axis in dimension.axes if axis.axis.data in names], mesh)
        for extent, dimension in zip(whole.get_shape(), sharding.dim_shardings, strict=True)
    ]
    return TensorType(whole.element_type, shape)


def manual_computation(
    inputs: Sequence[tuple[SSAValue, TensorShardingAttr]],
    results: Sequence[tuple[Attribute, TensorShardingAttr]],
    manual: Sequence[str],
    mesh: MeshAttr,
    body: Body,
    code: DeviceCode,
) -> Sequence[SSAValue]:
    """Insert a manual computation over the axes `manual`; `results` are the types and the shardings of its results."""
    block = Block(arg_types=[part_of(value.type, sharding, mesh, manual) for value, sharding in inputs])
    rewriter = code.rewriter
    around, rewriter.insertion_point = rewriter.insertion_point, InsertPoint.at_end(block)
    rewriter.insert(ReturnOp(*body(block.args)))
    rewriter.insertion_point = around
    values, shardings = zip(*inputs, strict=True)
    types, made = zip(*results, strict=True)
    computation = ManualComputationOp(values, shardings, made, manual, Region(block), types)
    return rewriter.insert(computation).results


def padded_input(
    value: SSAValue, tensor: WholeTensor, code: DeviceCode, padding: SSAValue | None = None
) -> tuple[SSAValue, TensorShardingAttr]:
    """
    `value`, sharded as `tensor`, with `padding` or zeros behind its elements so that it divides; and its sharding.

    No element moves to another device.
    """
    return code.padded(value, tensor.divisible_shape, tensor.own_sharding, padding), tensor.own_sharding


def manual_results(
    inputs: Sequence[tuple[SSAValue, TensorShardingAttr | None]],
    targets: Sequence[WholeTensor],
    body: Body,
    code: DeviceCode,
) -> list[SSAValue]:
    """
    Insert a manual computation over all axes of inputs and `targets`, and return its results, which are `targets`.

    Inputs without a sharding are whole on each device. Results of `body` have padding so that they divide; it is cut
    off behind the computation.
    """
    given = [sharding for _, sharding in inputs if sharding is not None]
    mesh, shardings = targets[0].mesh, [*given, *(target.own_sharding for target in targets)]
    manual = axis_names((dim.axes.data for sharding in shardings for dim in sharding.dim_shardings), mesh)
    closed = [
        (value, sharding or TensorShardingAttr.fully_closed(given[0].mesh_or_ref, rank_of(value)))
        for value, sharding in inputs
    ]
    results = [
        (TensorType(tensor_type(target.type).element_type, target.divisible_shape), target.own_sharding)
        for target in targets
    ]
    wholes = manual_computation(closed, results, manual, mesh, body, code)
    return [
        code.trimmed(whole, target.shape, target.own_sharding) for whole, target in zip(wholes, targets, strict=True)
    ]
