"""
Whole parts of neighbours, as upstream sends them: `dynamic_slice(pad(concatenate(left, own, right)))`.

The offset of the slice depends on the device. `exchanges.py` sends fewer bytes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.axes import AxisRefs
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import sharded_size
from xshardy.dialects.sdy.value_shardings import without_axes
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.dialects.stablehlo.windows import dilated
from xshardy.transforms.sdy_partition.exchange.device_numbers import hop, pairs_between, sent, shard_index
from xshardy.transforms.sdy_partition.exchange.neighbours import Neighbours, Reads, neighbours
from xshardy.transforms.sdy_partition.exchange.pattern import Gathered, sharded_along
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the slice of a device begins: at `step` times its index, plus `base`; or at its entry of `table`."""

    step: int = 0
    base: int = 0
    table: Sequence[int] = ()

    def offset(self, index: SSAValue, code: DeviceCode) -> tuple[SSAValue, SSAValue]:
        """The offset for the part number `index`, and zero, which is the offset in the other dimensions."""
        if self.table:
            return code.index(self.table, index), code.integer(0)
        step, base = code.integer(self.step), code.integer(self.base)
        offset = code.insert(stablehlo.AddOp(code.insert(stablehlo.MulOp(index, step)), base))
        nothing = code.integer(0)
        return code.insert(stablehlo.MaxOp(offset, nothing)), nothing


@dataclass(frozen=True, slots=True)
class DimExchange:
    """What is exchanged along one dimension, sharded along `axes`."""

    axes: AxisRefs
    near: Neighbours
    size: int
    """Of the slice that a device takes, in elements."""
    dilation: int
    placement: Placement


def slide(extent: int, axes: AxisRefs, mesh: MeshAttr, reads: Reads) -> DimExchange:
    """The exchange along a dimension of `extent` elements, of which each part reads a window."""
    parts = sharded_size(axes, mesh)
    near = neighbours(extent, parts, reads)
    part = -(-extent // parts) * reads.dilation
    base = near.left * part + reads.size * reads.dilation - reads.low
    return DimExchange(axes, near, reads.size, reads.dilation, Placement(reads.size - part, base))


@dataclass(frozen=True, slots=True)
class PartsCode:
    """Inserts the exchanges. `local` is the sharding of each value in the manual computation."""

    mesh: MeshAttr
    local: TensorShardingAttr
    code: DeviceCode

    def windows(self, value: SSAValue, dims: Mapping[int, DimExchange], padding: SSAValue) -> SSAValue:
        """What a device reads of the whole tensor along each of `dims`; `value` is its own part."""
        for dim, along in dims.items():
            value = self._window(value, dim, along, padding)
        return value

    def _insert(self, op: Operation) -> SSAValue:
        return self.code.insert(op, self.local)

    def joined(self, pieces: Sequence[SSAValue], dim: int) -> SSAValue:
        """`pieces`, one after the other."""
        types = [tensor_type(piece) for piece in pieces]
        shape = [*types[0].get_shape()]
        shape[dim] = sum(type.get_shape()[dim] for type in types)
        joined = stablehlo.ConcatenateOp(pieces, dim, TensorType(types[0].element_type, shape))
        return self._insert(joined)

    def piece(self, value: SSAValue, dim: int, start: int, limit: int) -> SSAValue:
        """The elements from `start` to `limit` along `dim`."""
        shape = tensor_type(value).get_shape()
        starts, limits = [0] * len(shape), [*shape]
        starts[dim], limits[dim] = start, limit
        return self._insert(stablehlo.SliceOp(value, starts, limits, [1] * len(shape)))

    def part_before(self, value: SSAValue, distance: int, axes: AxisRefs) -> SSAValue:
        """The part that is `distance` before that of the device; zeros if there is none."""
        if not distance:
            return value
        if pairs := pairs_between(hop(distance, sharded_size(axes, self.mesh)), axes, self.mesh):
            return sent(value, pairs, self.code, self.local)
        nothing = self.code.zero(tensor_type(value).element_type)
        return self._insert(stablehlo.BroadcastInDimOp(nothing, [], value.type))

    def _window(self, value: SSAValue, dim: int, along: DimExchange, padding: SSAValue) -> SSAValue:
        near = along.near
        distances = range(near.left, -near.right - 1, -1)
        joined = self.joined([self.part_before(value, distance, along.axes) for distance in distances], dim)
        shape = [*tensor_type(joined).get_shape()]
        margins, interior = [0] * len(shape), [0] * len(shape)
        margins[dim], interior[dim] = along.size * along.dilation, along.dilation - 1
        shape[dim] = dilated(shape[dim], along.dilation) + 2 * margins[dim]
        padded_type = TensorType(tensor_type(joined).element_type, shape)
        padded = stablehlo.PadOp(joined, padding, margins, margins, interior, padded_type)
        padded = self._insert(padded)
        index = shard_index(along.axes, self.mesh, self.code)
        offset, nowhere = along.placement.offset(index, self.code)
        shape[dim] = along.size
        starts = [offset if other == dim else nowhere for other in range(len(shape))]
        return self._insert(stablehlo.DynamicSliceOp(padded, starts, shape))


@dataclass(frozen=True, slots=True)
class WholeParts:
    """The exchanges along the sharded dimensions in which a part of `source` needs other elements than its own."""

    source: WholeTensor
    dims: Mapping[int, DimExchange]

    @staticmethod
    def of(reads: Mapping[int, Reads], source: WholeTensor) -> "WholeParts | Gathered":
        """The exchange that gives each part of the result what it reads along each dimension of `source`."""
        dims = {dim: slide(source.shape[dim], source.axes(dim), source.mesh, each) for dim, each in reads.items()}
        is_near = all(along.near.are_near(source.parts(dim)) for dim, along in dims.items())
        return WholeParts(source, dims) if is_near else Gathered("a part needs elements of others than its neighbours")

    @property
    def local_sharding(self) -> TensorShardingAttr:
        """The sharding of values in the manual computation."""
        return without_axes(self.source.own_sharding, sharded_along(self.source))

    def windows(self, value: SSAValue, padding: SSAValue, code: DeviceCode) -> SSAValue:
        """What a device needs of the tensor, of which it has the part `value`."""
        return PartsCode(self.source.mesh, self.local_sharding, code).windows(value, self.dims, padding)
