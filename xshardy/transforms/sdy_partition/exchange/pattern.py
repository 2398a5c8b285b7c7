"""The base of the patterns, and what they share: manual computations, and padding to a size that divides."""

from collections.abc import Callable, Collection, Iterable, Sequence
from enum import Enum, auto

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.axes import AxisRefs
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import (
    DimensionShardingAttr,
    TensorShardingAttr,
    TensorShardingPerValueAttr,
)
from xshardy.dialects.sdy.axis_refs import sharded_size
from xshardy.dialects.sdy.ops import ManualComputationOp, ReturnOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.sdy.shardings import with_dimensions
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors
from xshardy.transforms.sdy_partition.zero_constants import insert_zeros

Body = Callable[[Sequence[SSAValue]], Sequence[SSAValue]]
"""Inserts the code of a device, given its parts, and returns its parts of the results."""


class Other(Enum):
    """What a pattern decides instead of a rewrite."""

    STAY = auto()
    """Each part of the result needs only the parts of the operands on the same device."""
    GATHER = auto()
    """Every device gets all parts of the dimensions in question."""


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
    shardings = (whole if dim in dims else of_dim for dim, of_dim in enumerate(tensor.sharding.dim_shardings))
    return with_dimensions(tensor.sharding, shardings)


def divisible(extent: int, parts: int) -> int:
    """The next multiple of `parts`."""
    return -(-extent // parts) * parts


def divisible_shape(tensor: WholeTensor) -> tuple[int, ...]:
    """The shape of `tensor`, each dimension padded to a multiple of its parts."""
    return tuple(divisible(extent, tensor.parts(dim)) for dim, extent in enumerate(tensor.shape))


def axis_names(axes: Iterable[AxisRefs], mesh: MeshAttr) -> tuple[str, ...]:
    """The axes of `mesh` of which some part is in `axes`, in the order of the mesh."""
    named = {axis.axis.data for of_dim in axes for axis in of_dim}
    return tuple(name for name in mesh.sizes if name in named)


def sharded_along(tensor: WholeTensor) -> tuple[str, ...]:
    """The names of the axes that shard `tensor`."""
    return axis_names([tensor.axes(dim) for dim in range(len(tensor.shape))], tensor.mesh)


def marked(value: SSAValue, sharding: TensorShardingAttr) -> SSAValue:
    """`value`, the only result of an operation, with `sharding`."""
    assert isinstance(value.owner, Operation)
    value.owner.attributes[SHARDING] = TensorShardingPerValueAttr([sharding])
    return value


def zero(element: Attribute, code: DeviceCode) -> SSAValue:
    return insert_zeros(TensorType(element, []), code.rewriter)


def padded_high(
    value: SSAValue,
    shape: Sequence[int],
    sharding: TensorShardingAttr,
    code: DeviceCode,
    padding: SSAValue | None = None,
) -> SSAValue:
    """`value` with `padding`, or zeros, behind its elements. No element moves to another device."""
    type = tensor_type(value)
    if type.get_shape() == tuple(shape):
        return value
    if padding is None:
        padding = zero(type.element_type, code)
    nothing = [0] * len(shape)
    high = [size - extent for size, extent in zip(shape, type.get_shape(), strict=True)]
    result = TensorType(type.element_type, shape)
    return marked(code.insert(stablehlo.PadOp(value, padding, nothing, high, nothing, result)), sharding)


def without_padding(value: SSAValue, shape: Sequence[int], sharding: TensorShardingAttr, code: DeviceCode) -> SSAValue:
    """The first elements of `value` along each dimension. No element moves to another device."""
    if tensor_type(value).get_shape() == tuple(shape):
        return value
    starts, strides = [0] * len(shape), [1] * len(shape)
    return marked(code.insert(stablehlo.SliceOp(value, starts, shape, strides)), sharding)


def part_of(type: Attribute, sharding: TensorShardingAttr, mesh: MeshAttr, manual: Iterable[str]) -> Attribute:
    """The type of a tensor that is local to the axes `manual`, which divide its dimensions evenly."""
    whole, names = tensor_type(type), {*manual}
    shape = [
        extent // sharded_size([axis for axis in of_dim.axes if axis.axis.data in names], mesh)
        for extent, of_dim in zip(whole.get_shape(), sharding.dim_shardings, strict=True)
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
