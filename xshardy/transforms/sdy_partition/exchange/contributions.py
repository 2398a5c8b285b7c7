"""Sums of contributions: each device puts its elements in their places, and an all-reduce adds up what all have."""

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, ComplexType, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.hints import isa

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import dense_values
from xshardy.dialects.sdy.attributes.axes import AxisRefs
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode, reduction


def elements_summed(elements: int, parts: int) -> int:
    """How many elements a device receives in an all-reduce of a tensor of `elements` between `parts` devices."""
    return 2 * elements * (parts - 1) // parts


def _nothing(element: Attribute, code: DeviceCode) -> SSAValue:
    """A scalar that changes nothing when it is added: of floats, -0, for 0 would turn -0 into 0."""
    scalar = TensorType(element, [])
    if isinstance(element, AnyFloat):
        return code.constant(dense_values(scalar, [-0.0]))
    if isa(element, ComplexType[AnyFloat]):
        return code.constant(dense_values(scalar, [(-0.0, -0.0)]))
    return code.zero(element)


def placed(piece: SSAValue, dim: int, first: SSAValue, length: int, code: DeviceCode) -> SSAValue:
    """
    `length` elements along `dim`: those of `piece` from the index `first` on, and nothing elsewhere.

    `first` may be negative, or behind all elements; what is outside is cut off.
    """
    type = tensor_type(piece)
    shape, margins = [*type.get_shape()], [0] * type.get_num_dims()
    margins[dim] = length
    shape[dim] += 2 * length
    padded = TensorType(type.element_type, shape)
    padding = _nothing(type.element_type, code)
    wide = code.insert(stablehlo.PadOp(piece, padding, margins, margins, [0] * len(shape), padded))
    shape[dim] = length
    # As any start of a slice, this one is clamped: all of the slice is padding then.
    start, origin = code.insert(stablehlo.SubtractOp(code.integer(length), first)), code.integer(0)
    return code.insert(
        stablehlo.DynamicSliceOp(wide, [start if d == dim else origin for d in range(len(shape))], shape)
    )


def added_up(value: SSAValue, axes: AxisRefs, mesh: MeshAttr, code: DeviceCode) -> SSAValue:
    """The sum of `value` over the devices along `axes`."""
    body = reduction(ReductionOp.SUM, tensor_type(value).element_type)
    groups = code.groups(axes, mesh, mesh)
    return code.insert(stablehlo.AllReduceOp([value], groups, body, code.channels.take(), True))


def all_axes(axes: Sequence[AxisRefs]) -> AxisRefs:
    """The axes of several dimensions."""
    return tuple(axis for of_dim in axes for axis in of_dim)
