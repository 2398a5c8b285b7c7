"""
Indices into a whole tensor, converted to indices into the part of a device.

Gathers and scatters have the same layout of indices. An index vector lies along dimension `vector_dim` of the indices;
if that is one after the last dimension, each element is an index vector of size 1. Component `i` indexes dimension
`dims[i]`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import TensorType, i1, i64
from xdsl.ir import Attribute, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.attributes import ComparisonDirection
from xshardy.dialects.stablehlo.types import largest_integer, tensor_type
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode, integers_of, reducer
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor


@dataclass(frozen=True, slots=True)
class Indexing:
    """`indices` into `whole`, whose dimensions `sharded` are divided between devices."""

    indices: SSAValue
    vector_dim: int
    dims: Sequence[int]
    whole: WholeTensor
    sharded: Collection[int]

    @property
    def _tensor_type(self) -> TensorType[Attribute]:
        return tensor_type(self.indices)

    @property
    def _extents(self) -> Sequence[int]:
        """The size of each dimension of a part."""
        return self.whole.local.get_shape()

    @property
    def is_local(self) -> bool:
        """Whether each index means the same on every device."""
        return not any(dim in self.sharded for dim in self.dims)

    def widened(self, code: DeviceCode) -> "Indexing":
        """The same indices in a type that has every index into the whole tensor: offsets of parts must not wrap."""
        last = max((self.whole.shape[dim] - 1 for dim in self.dims), default=0)
        if last <= largest_integer(self._tensor_type.element_type):
            return self
        return replace(
            self, indices=code.insert(stablehlo.ConvertOp(self.indices, TensorType(i64, self._tensor_type.get_shape())))
        )

    def _offset(self, dim: int, code: DeviceCode) -> SSAValue:
        return code.shard_offset(self.whole.axes(dim), self.whole.mesh, self._extents[dim])

    def lower_bounds(self, code: DeviceCode) -> list[SSAValue]:
        """For each component, the offset of the part of a device, as a scalar of the type of the indices."""
        return [low for low, _ in self._bounds(code, upper=False)]

    def _bounds(self, code: DeviceCode, *, upper: bool) -> list[tuple[SSAValue, SSAValue | None]]:
        """For each component, the first index in the part of a device, and the last one if `upper`."""
        element = self._tensor_type.element_type
        bounds: list[tuple[SSAValue, SSAValue | None]] = []
        for dim in self.dims:
            if dim not in self.sharded:
                low = code.integer(0, element)
                bounds.append((low, code.integer(self.whole.shape[dim] - 1, element) if upper else None))
                continue
            offset = self._offset(dim, code)
            low = code.insert(stablehlo.ConvertOp(offset, TensorType(element, [])))
            high = None
            if upper:
                high = code.insert(stablehlo.AddOp(low, code.integer(self._extents[dim] - 1, element)))
            bounds.append((low, high))
        return bounds

    def _spread(self, components: Sequence[SSAValue], code: DeviceCode) -> SSAValue:
        """A tensor of the shape of the indices, in which every index vector is `components`."""
        if len(components) == 1:
            return code.insert(stablehlo.BroadcastInDimOp(components[0], [], self._tensor_type))
        element = self._tensor_type.element_type
        each = [code.reshaped(component, [1], element) for component in components]
        vector = code.insert(stablehlo.ConcatenateOp(each, 0, TensorType(element, [len(each)])))
        return code.insert(stablehlo.BroadcastInDimOp(vector, [self.vector_dim], self._tensor_type))

    def _constants(self, values: Sequence[int], code: DeviceCode) -> SSAValue:
        """`_spread` of constants."""
        if len(values) == 1:
            return code.constant(integers_of(self._tensor_type, values))
        vector = code.constant(integers_of(TensorType(self._tensor_type.element_type, [len(values)]), values))
        return code.insert(stablehlo.BroadcastInDimOp(vector, [self.vector_dim], self._tensor_type))

    def local(self, code: DeviceCode) -> SSAValue:
        """The indices relative to the offset of the device's part; indices into other parts are out of bounds."""
        lows = self._spread(self.lower_bounds(code), code)
        return code.insert(stablehlo.SubtractOp(self.indices, lows))

    def clamped(self, code: DeviceCode) -> "Indexing":
        """The indices, with each component clamped to the bounds of the whole operand."""
        low = code.constant(integers_of(self._tensor_type, [0]))
        last = [self.whole.shape[dim] - 1 for dim in self.dims]
        moved = code.insert(stablehlo.ClampOp(low, self.indices, self._constants(last, code)))
        return replace(self, indices=moved)

    def local_and_inside(self, code: DeviceCode) -> tuple[SSAValue, SSAValue]:
        """The result of `local`, and a mask of the same shape: which components are in the part of the device."""
        bounds = self._bounds(code, upper=True)
        low = self._spread([low for low, _ in bounds], code)
        high = self._spread([high for _, high in bounds if high is not None], code)
        shifted = code.insert(stablehlo.SubtractOp(self.indices, low))
        above = code.insert(stablehlo.CompareOp(self.indices, low, ComparisonDirection.GE))
        below = code.insert(stablehlo.CompareOp(self.indices, high, ComparisonDirection.LE))
        return shifted, code.insert(stablehlo.AndOp(above, below))

    def holds_first_of_unindexed(self, code: DeviceCode) -> SSAValue | None:
        """
        A predicate: whether the part of the device has index 0 of all sharded dimensions without a component.

        None if there is no such dimension.
        """
        result: SSAValue | None = None
        for dim in self.sharded:
            if dim in self.dims:
                continue
            offset = self._offset(dim, code)
            first = code.insert(stablehlo.CompareOp(offset, code.integer(0), ComparisonDirection.EQ))
            result = first if result is None else code.insert(stablehlo.AndOp(result, first))
        return result

    def all_components(self, mask: SSAValue, code: DeviceCode) -> SSAValue:
        """For each index vector, whether `mask` holds for all of its components."""
        shape = [*tensor_type(mask).get_shape()]
        if self.vector_dim >= len(shape):
            return mask
        del shape[self.vector_dim]
        true = code.integer(1, i1)
        body = reducer(stablehlo.AndOp, i1)
        return code.insert(stablehlo.ReduceOp([mask], [true], [self.vector_dim], body, [TensorType(i1, shape)]))
