"""
Indices into a tensor, as the device sees them that has a part of it.

Gathers and scatters share how index vectors lie in a tensor of indices: along its dimension `vector_dim`, which may be
one after the last and then stands for one of size 1; each component says where in one of the `dims` of the operand.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import Attribute, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.attributes import ComparisonDirection
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.sdy_export.local.before import Whole
from xshardy.transforms.sdy_export.local.writer import LocalWriter, integers_of, reducer


@dataclass(frozen=True, slots=True)
class Indexing:
    """`indices` into `whole`, of which the dimensions `sharded` are divided between devices."""

    indices: SSAValue
    vector_dim: int
    dims: Sequence[int]
    whole: Whole
    sharded: Collection[int]

    @property
    def _type(self) -> TensorType[Attribute]:
        return tensor_type(self.indices)

    @property
    def _extents(self) -> Sequence[int]:
        """The size of each dimension of the part that a device has."""
        return self.whole.local.get_shape()

    @property
    def is_local(self) -> bool:
        """Whether each index means the same on every device."""
        return not any(dim in self.sharded for dim in self.dims)

    def _offset(self, dim: int, writer: LocalWriter) -> SSAValue:
        return writer.shard_offset(self.whole.axes(dim), self.whole.mesh, self._extents[dim])

    def lower_bounds(self, writer: LocalWriter) -> list[SSAValue]:
        """For each component, where the part of a device begins, as a scalar of the type of the indices."""
        return [low for low, _ in self._bounds(writer, upper=False)]

    def _bounds(self, writer: LocalWriter, *, upper: bool) -> list[tuple[SSAValue, SSAValue | None]]:
        """For each component, the first index in the part of a device, and the last one if asked for."""
        element = self._type.element_type
        bounds: list[tuple[SSAValue, SSAValue | None]] = []
        for dim in self.dims:
            if dim not in self.sharded:
                low = writer.integer(0, element)
                bounds.append((low, writer.integer(self.whole.shape[dim] - 1, element) if upper else None))
                continue
            offset = self._offset(dim, writer)
            low = writer.insert(stablehlo.ConvertOp(offset, TensorType(element, [])))
            high = None
            if upper:
                high = writer.insert(stablehlo.AddOp(low, writer.integer(self._extents[dim] - 1, element)))
            bounds.append((low, high))
        return bounds

    def _spread(self, components: Sequence[SSAValue], writer: LocalWriter) -> SSAValue:
        """A tensor like the indices, with a scalar for each component of every index vector."""
        if len(components) == 1:
            return writer.insert(stablehlo.BroadcastInDimOp(components[0], [], self._type))
        element = self._type.element_type
        each = [writer.reshaped(component, [1], element) for component in components]
        vector = writer.insert(stablehlo.ConcatenateOp(each, 0, TensorType(element, [len(each)])))
        return writer.insert(stablehlo.BroadcastInDimOp(vector, [self.vector_dim], self._type))

    def _constants(self, values: Sequence[int], writer: LocalWriter) -> SSAValue:
        """The same of numbers that are known."""
        if len(values) == 1:
            return writer.constant(integers_of(self._type, values))
        vector = writer.constant(integers_of(TensorType(self._type.element_type, [len(values)]), values))
        return writer.insert(stablehlo.BroadcastInDimOp(vector, [self.vector_dim], self._type))

    def local(self, writer: LocalWriter) -> SSAValue:
        """The indices counted from where the part of a device begins; what is elsewhere is out of its bounds."""
        lows = self._spread(self.lower_bounds(writer), writer)
        return writer.insert(stablehlo.SubtractOp(self.indices, lows))

    def clamped(self, writer: LocalWriter) -> "Indexing":
        """The same with each component moved into the bounds of the whole operand."""
        low = writer.constant(integers_of(self._type, [0]))
        last = [self.whole.shape[dim] - 1 for dim in self.dims]
        moved = writer.insert(stablehlo.ClampOp(low, self.indices, self._constants(last, writer)))
        return Indexing(moved, self.vector_dim, self.dims, self.whole, self.sharded)

    def local_and_inside(self, writer: LocalWriter) -> tuple[SSAValue, SSAValue]:
        """The indices as `local` gives them, and a mask like them: which components are in the part of the device."""
        bounds = self._bounds(writer, upper=True)
        low = self._spread([low for low, _ in bounds], writer)
        high = self._spread([high for _, high in bounds if high is not None], writer)
        shifted = writer.insert(stablehlo.SubtractOp(self.indices, low))
        above = writer.insert(stablehlo.CompareOp(self.indices, low, ComparisonDirection.GE))
        below = writer.insert(stablehlo.CompareOp(self.indices, high, ComparisonDirection.LE))
        return shifted, writer.insert(stablehlo.AndOp(above, below))

    def has_first(self, writer: LocalWriter) -> SSAValue | None:
        """
        A predicate: whether the device has index 0 of the sharded dimensions that no component speaks of.

        None if there is no such dimension.
        """
        result: SSAValue | None = None
        for dim in self.sharded:
            if dim in self.dims:
                continue
            offset = self._offset(dim, writer)
            first = writer.insert(stablehlo.CompareOp(offset, writer.integer(0), ComparisonDirection.EQ))
            result = first if result is None else writer.insert(stablehlo.AndOp(result, first))
        return result

    def all_components(self, mask: SSAValue, writer: LocalWriter) -> SSAValue:
        """For each index vector, whether `mask` holds for all of its components."""
        shape = [*tensor_type(mask).get_shape()]
        if self.vector_dim >= len(shape):
            return mask
        del shape[self.vector_dim]
        true = writer.integer(1, i1)
        body = reducer(stablehlo.AndOp, i1)
        return writer.insert(stablehlo.ReduceOp([mask], [true], [self.vector_dim], body, [TensorType(i1, shape)]))
