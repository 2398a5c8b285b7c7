"""Slices and pads along sharded dimensions, with whole parts of neighbours, as upstream."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import all_bytes, has_elements
from xshardy.dialects.sdy import ops as sdy
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.value_shardings import without_axes
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.sdy_partition.exchange.neighbours import Reads, neighbours
from xshardy.transforms.sdy_partition.exchange.pattern import (
    Other,
    divisible,
    divisible_shape,
    has_same_axes,
    is_movable,
    manual_computation,
    marked,
    padded_high,
    part_size,
    sharded_along,
    sharded_dims,
    without_padding,
    zero,
)
from xshardy.transforms.sdy_partition.exchange.whole_parts import DimExchange, PartsCode, slide
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors


@dataclass(frozen=True, slots=True)
class WholeParts:
    """The exchanges along the sharded dimensions in which a part needs other elements than its own."""

    source: WholeTensor
    target: WholeTensor
    dims: Mapping[int, DimExchange]

    @staticmethod
    def of(reads: Mapping[int, Reads], source: WholeTensor, target: WholeTensor) -> "WholeParts | Other":
        """The exchange that gives each part of `target` what it reads along each dimension of `source`."""
        dims = {dim: slide(source.shape[dim], source.axes(dim), source.mesh, each) for dim, each in reads.items()}
        if not all(along.near.are_near(source.parts(dim)) for dim, along in dims.items()):
            return Other.GATHER
        return WholeParts(source, target, dims)

    @property
    def sharding(self) -> TensorShardingAttr:
        """That of operand and result."""
        assert self.source.sharding is not None
        return self.source.sharding

    def resolved(
        self,
        operand: SSAValue,
        padding: SSAValue,
        rest: Callable[[SSAValue, SSAValue], SSAValue],
        code: DeviceCode,
    ) -> SSAValue:
        """The result from `operand`, which divides; `rest` does what is left to do to a part, given the padding."""
        mesh, manual = self.source.mesh, sharded_along(self.source)
        local = without_axes(self.sharding, manual)

        def body(parts: Sequence[SSAValue]) -> Sequence[SSAValue]:
            own, inner_padding = parts
            before = PartsCode(mesh, local, code).windows(own, self.dims, inner_padding)
            part = rest(before, inner_padding)
            return [part if part is before else marked(part, local)]

        scalar = TensorShardingAttr.fully_closed(self.sharding.mesh_or_ref, 0)
        type = TensorType(tensor_type(operand).element_type, divisible_shape(self.target))
        inputs = ((operand, self.sharding), (padding, scalar))
        (whole,) = manual_computation(inputs, [(type, self.sharding)], manual, mesh, body, code)
        return without_padding(whole, self.target.shape, self.sharding, code)


def is_zero(value: SSAValue) -> bool:
    """Whether `value` is a constant of which all bits are zero."""
    if not isinstance(value.owner, stablehlo.ConstantOp | sdy.ConstantOp) or not has_elements(value.owner.value):
        return False
    return not any(all_bytes(value.owner.value))


def slice_stays(op: stablehlo.SliceOp, dim: int, source: WholeTensor, target: WholeTensor) -> bool:
    """Whether the slice along `dim`, which is sharded, cuts off padding, and elements of the last part, at most."""
    has_all = not op.start_indices.get_values()[dim] and op.strides.get_values()[dim] == 1
    return has_all and part_size(source, dim) == part_size(target, dim)


def pad_stays(op: stablehlo.PadOp, dim: int, source: WholeTensor, target: WholeTensor) -> bool:
    """Whether no part of the result along `dim`, which is sharded, has elements, or their padding, of another part."""
    parts = source.parts(dim)
    reads = Reads(part_size(target, dim), op.edge_padding_low.get_values()[dim])
    near = neighbours(divisible(source.shape[dim], parts), parts, reads)
    return not (op.interior_padding.get_values()[dim] or near.left or near.right)


def sliced_along_whole_dims(op: stablehlo.SliceOp, part: SSAValue, source: WholeTensor, code: DeviceCode) -> SSAValue:
    """The slice `op` of a part that begins and ends where it should along sharded dimensions: there, only strides."""
    shape = tensor_type(part).get_shape()
    columns = (a.get_values() for a in (op.start_indices, op.limit_indices, op.strides))
    rows = [
        row if source.parts(dim) == 1 else (0, shape[dim], row[2]) for dim, row in enumerate(zip(*columns, strict=True))
    ]
    if rows == [(0, extent, 1) for extent in shape]:
        return part
    return code.insert(stablehlo.SliceOp(part, *zip(*rows, strict=True)))


def padded_along_whole_dims(
    op: stablehlo.PadOp, part: SSAValue, padding: SSAValue, target: WholeTensor, code: DeviceCode
) -> SSAValue:
    """The pad `op` of a part that has its padding along sharded dimensions."""
    columns = (a.get_values() for a in (op.edge_padding_low, op.edge_padding_high, op.interior_padding))
    rows = [row if target.parts(dim) == 1 else (0, 0, 0) for dim, row in enumerate(zip(*columns, strict=True))]
    if not any(map(any, rows)):
        return part
    own = tensor_type(part)
    shape = [target.shape[dim] if target.parts(dim) == 1 else extent for dim, extent in enumerate(own.get_shape())]
    low, high, interior = zip(*rows, strict=True)
    return code.insert(stablehlo.PadOp(part, padding, low, high, interior, TensorType(own.element_type, shape)))


@dataclass(frozen=True)
class SliceOfWholeParts(LocalPattern[stablehlo.SliceOp, WholeParts]):
    """`slice %x` -> `slice (manual_computation(pad %x))`: a slice of what a device and its neighbours have."""

    @staticmethod
    def decide(op: stablehlo.SliceOp, before: WholeTensors) -> WholeParts | Other:
        (source,), (target,) = before.operands, before.results
        if not is_movable(before) or not has_same_axes(source, target):
            return Other.STAY
        dims = [dim for dim in sharded_dims(source) if not slice_stays(op, dim, source, target)]
        starts, strides = op.start_indices.get_values(), op.strides.get_values()
        if not dims:
            return Other.STAY
        if any(strides[dim] > 1 for dim in dims):
            return Other.GATHER  # upstream disregards the strides
        reads = {dim: Reads(part_size(target, dim), -starts[dim]) for dim in dims}
        return WholeParts.of(reads, source, target)

    def rewrite(self, op: stablehlo.SliceOp, decision: WholeParts, code: DeviceCode) -> None:
        source = decision.source

        def rest(part: SSAValue, padding: SSAValue) -> SSAValue:
            return sliced_along_whole_dims(op, part, source, code)

        operand = padded_high(op.operand, divisible_shape(source), decision.sharding, code)
        padding = zero(tensor_type(operand).element_type, code)
        code.replace(op, decision.resolved(operand, padding, rest, code))


@dataclass(frozen=True)
class PadOfWholeParts(LocalPattern[stablehlo.PadOp, WholeParts]):
    """`pad %x` -> `slice (manual_computation(pad %x))`: padding around what a device and its neighbours have."""

    @staticmethod
    def decide(op: stablehlo.PadOp, before: WholeTensors) -> WholeParts | Other:
        source, (target,) = before.operands[0], before.results
        if not is_movable(before) or not has_same_axes(source, target):
            return Other.STAY
        rows = [*zip(op.edge_padding_low.get_values(), op.interior_padding.get_values(), strict=True)]
        reads = {dim: Reads(part_size(target, dim), rows[dim][0], rows[dim][1] + 1) for dim in sharded_dims(source)}
        found = WholeParts.of(reads, source, target)
        if isinstance(found, Other):
            return found
        if all(pad_stays(op, dim, source, target) for dim in found.dims):
            return Other.STAY
        has_neighbours = any(along.near.left or along.near.right for along in found.dims.values())
        if has_neighbours and not is_zero(op.padding_value):
            return Other.GATHER  # what the first and the last device get of their missing neighbours is zero
        dims = {
            dim: along
            for dim, along in found.dims.items()
            if along.near.are_needed or along.size != part_size(source, dim)
        }
        return WholeParts(source, target, dims)

    def rewrite(self, op: stablehlo.PadOp, decision: WholeParts, code: DeviceCode) -> None:
        def rest(part: SSAValue, padding: SSAValue) -> SSAValue:
            return padded_along_whole_dims(op, part, padding, decision.target, code)

        operand = padded_high(op.operand, divisible_shape(decision.source), decision.sharding, code, op.padding_value)
        code.replace(op, decision.resolved(operand, op.padding_value, rest, code))
