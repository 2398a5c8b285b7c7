"""Arguments and results of a partitioned program: whole tensors to the parts of each device, and back."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation

from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import local_shape, sharded_size
from xshardy.dialects.sdy.sharding_text import dimensions
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.programs.errors import EngineError
from xshardy.programs.tensor_picture import DividedDim, picture
from xshardy.sharding.devices import device_groups, shard_indices

if TYPE_CHECKING:
    from xshardy.numerics.element_types import Array


@dataclass(frozen=True, repr=False)
class DistributedTensor:
    """
    A tensor of `devices` devices, and how it is divided: by `sharding` over `mesh`; each device has all of it if None.

    Devices are numbered as partitions. Parts have equal shapes: the last ones along a dimension that is not divided
    evenly end with padding.
    """

    type: TensorType[Attribute]
    devices: int
    sharding: TensorShardingAttr | None = None
    mesh: MeshAttr | None = None

    @classmethod
    def under(
        cls, type: TensorType[Attribute], sharding: TensorShardingAttr | None, anchor: Operation, devices: int
    ) -> Self:
        """A tensor with a sharding over a mesh that `anchor` sees; each of `devices` has all of it if there is none."""
        mesh = None if sharding is None else lookup_mesh(sharding, anchor)
        if mesh is None or not mesh.axes.data:
            return cls(type, devices)
        return cls(type, mesh.device_count, sharding, mesh)

    def __repr__(self) -> str:
        divided = dimensions(self.sharding) or "whole"
        return f"<{self.type} on {self.devices} devices, {divided}: parts of {self.local_shape}>"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the whole tensor, in elements."""
        return self.type.get_shape()

    @property
    def axes(self) -> tuple[tuple[str, ...], ...]:
        """The names of the axes that divide each dimension. Main functions have no sub-axes."""
        if self.sharding is None:
            return ((),) * len(self.shape)
        return tuple(tuple(axis.axis.data for axis in dim.axes) for dim in self.sharding.dim_shardings)

    @cached_property
    def local_shape(self) -> tuple[int, ...]:
        """The shape of the part of each device, in elements."""
        if self.sharding is None or self.mesh is None:
            return self.shape
        return local_shape(self.shape, self.sharding, self.mesh)

    @cached_property
    def part_numbers(self) -> tuple[int, ...]:
        """How many parts each dimension has."""
        if self.sharding is None or self.mesh is None:
            return (1,) * len(self.shape)
        return tuple(sharded_size(dim.axes, self.mesh) for dim in self.sharding.dim_shardings)

    @cached_property
    def part_indices(self) -> list[tuple[int, ...]]:
        """For each device, the index of its part along each dimension."""
        if self.sharding is None or self.mesh is None:
            return [(0,) * len(self.shape)] * self.devices
        indices = [shard_indices(dim.axes.data, self.mesh) for dim in self.sharding.dim_shardings]
        return [tuple(by_device[device] for by_device in indices) for device in range(self.devices)]

    @cached_property
    def slices(self) -> list[tuple[slice, ...]]:
        """For each device, the place of its part in the whole tensor with padding."""
        return [
            tuple(
                slice(index * size, (index + 1) * size) for index, size in zip(indices, self.local_shape, strict=True)
            )
            for indices in self.part_indices
        ]

    def _repr_html_(self) -> str:
        """The parts and their devices, as a table for notebooks."""
        dims = map(DividedDim, self.shape, self.local_shape, self.part_numbers)
        return picture(str(self.type), [*dims], self.part_indices)

    @cached_property
    def summed_devices(self) -> list[list[int]]:
        """The groups of devices whose parts are combined to a part of the tensor; none if it is not unreduced."""
        if self.sharding is None or self.mesh is None or not self.sharding.unreduced_axes.data:
            return []
        return device_groups(self.sharding.unreduced_axes.data, self.mesh)

    @property
    def reduction(self) -> ReductionOp:
        """How parts along unreduced axes are combined."""
        return ReductionOp.SUM if self.sharding is None else self.sharding.reduction_op.data

    def reduced(self, parts: "Sequence[Array]") -> "list[Array]":
        """The `parts` of all devices, combined along unreduced axes."""
        from xshardy.numerics.partial_results import combined

        found = [*parts]
        for group in self.summed_devices:
            total = combined([parts[device] for device in group], self.reduction)
            for device in group:
                found[device] = total
        return found

    def parts(self, whole: "Array") -> "list[Array]":
        """
        The part of each device of a tensor. Padding is zero.

        Where it is a sum of parts, the first device has its double, the last one its negative, and the others zeros.
        """
        import numpy as np

        from xshardy.numerics.partial_results import summands

        missing = [
            (0, size * count - extent)
            for size, count, extent in zip(self.local_shape, self.part_numbers, self.shape, strict=True)
        ]
        padded = np.pad(whole, missing) if any(after for _, after in missing) else whole
        parts = [padded[place] for place in self.slices]
        for group in self.summed_devices if self.reduction is ReductionOp.SUM else ():
            if len(group) > 1:
                first, last = summands(parts[group[0]])
                for device in group:
                    parts[device] = np.zeros_like(first)
                parts[group[0]], parts[group[-1]] = first, last
        return parts

    def whole(self, parts: "Sequence[Array]") -> "Array":
        """
        The tensor with these `parts`, one of each device. Of several copies of a part, the last one counts.

        Parts along unreduced axes are combined.
        Every engine returns parts, so this is where a result that they do not fill is refused: raises `EngineError`.
        """
        import numpy as np

        if 0 in self.shape:  # XLA divides no tensor without elements, so that parts may have the shape of the whole
            return np.empty(self.shape, parts[0].dtype)
        shapes = [part.shape for part in parts]
        if shapes != [self.local_shape] * len(self.slices):
            raise EngineError(
                f"a {self.type} is cut into {len(self.slices)} parts of shape {[*self.local_shape]}, but the "
                f"engine returned {len(parts)} of shapes {sorted(map(list, {*shapes}))}, so not all of it was written"
            )
        return self.put_together(self.reduced(parts))

    def put_together(self, parts: "Sequence[Array]") -> "Array":
        """The tensor with these `parts`, which are combined already."""
        import numpy as np

        padded = np.empty(
            [size * count for size, count in zip(self.local_shape, self.part_numbers, strict=True)], parts[0].dtype
        )
        for place, part in zip(self.slices, parts, strict=True):
            padded[place] = part
        return padded[tuple(slice(0, extent) for extent in self.shape)]
