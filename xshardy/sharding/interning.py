"""
Shardings as integers: equal ones have the same, and 0 stands for none.

Propagation compares and looks up shardings all the time, and makes few new ones. So each is read once, is a number from
then on, and becomes an attribute again where it is written.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import NoneAttr, SymbolRefAttr

from xshardy.axes.spans import Axes, Span
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.sharding.axes import axis_between

NO_SHARDING = 0
"""The number of a sharding that is not there."""


class Dim(NamedTuple):
    """The sharding of a dimension: `axes` from major to minor; only an open one may get more of them."""

    axes: Axes
    is_closed: bool
    priority: int | None = None


class Sharding(NamedTuple):
    """The sharding of a tensor, over the mesh that a `ShardingTable` has under the number `mesh`."""

    mesh: int
    dims: tuple[Dim, ...]
    replicated: Axes = ()
    unreduced: Axes = ()
    reduction: ReductionOp = ReductionOp.SUM

    @property
    def is_empty(self) -> bool:
        """Whether no axis is named."""
        return not (self.replicated or self.unreduced or any(dim.axes for dim in self.dims))


class _Mesh(NamedTuple):
    """How shardings name a mesh, and the mesh, whose axes are numbered as it lists them."""

    reference: MeshAttr | SymbolRefAttr
    mesh: MeshAttr
    names: Sequence[str]
    sizes: Sequence[int]


class ShardingTable:
    """The shardings of a module by their number. `find_mesh` looks up the mesh of a sharding; there must be one."""

    def __init__(self, find_mesh: Callable[[TensorShardingAttr], MeshAttr | None]):
        self._find_mesh = find_mesh
        self._shardings: list[Sharding | None] = [None]
        self._numbers: dict[Sharding, int] = {}
        self._attributes: list[TensorShardingAttr | None] = [None]
        self._read: dict[int, tuple[int, TensorShardingAttr]] = {}
        """The number of an attribute by its identity; the attribute is kept, so that its identity stays its own."""
        self._meshes: list[_Mesh] = []
        self._mesh_numbers: dict[MeshAttr | SymbolRefAttr, int] = {}
        self._dims: dict[tuple[int, Dim], DimensionShardingAttr] = {}
        self._axes: dict[tuple[int, Span], AxisRefAttr] = {}

    def read(self, attribute: TensorShardingAttr | None) -> int:
        """The number of a sharding. Raises `KeyError` if its mesh is unknown."""
        if attribute is None:
            return NO_SHARDING
        if (known := self._read.get(id(attribute))) is not None:
            return known[0]
        mesh_number = self._mesh_number(attribute)
        mesh = self._meshes[mesh_number]

        def spans(axes: Iterable[AxisRefAttr]) -> Axes:
            return tuple(_span(axis, mesh) for axis in axes)

        dims = (
            Dim(spans(dim.axes), bool(dim.is_closed), None if isinstance(dim.priority, NoneAttr) else dim.priority.data)
            for dim in attribute.dim_shardings
        )
        number = self.number(
            Sharding(
                mesh_number,
                tuple(dims),
                spans(attribute.replicated_axes),
                spans(attribute.unreduced_axes),
                attribute.reduction_op.data,
            )
        )
        self._read[id(attribute)] = number, attribute
        if self._attributes[number] is None:
            self._attributes[number] = attribute
        return number

    def number(self, sharding: Sharding) -> int:
        """The number of `sharding`, a new one if it has none yet."""
        number = self._numbers.setdefault(sharding, len(self._shardings))
        if number == len(self._shardings):
            self._shardings.append(sharding)
            self._attributes.append(None)
        return number

    def sharding(self, number: int) -> Sharding | None:
        """The sharding that has this number."""
        return self._shardings[number]

    def has_axes(self, number: int) -> bool:
        """Whether the sharding that has this number divides a dimension."""
        sharding = self._shardings[number]
        return sharding is not None and any(dim.axes for dim in sharding.dims)

    def attribute(self, number: int) -> TensorShardingAttr | None:
        """The sharding that has this number, as it stands in a module."""
        known, sharding = self._attributes[number], self._shardings[number]
        if known is not None or sharding is None:
            return known
        made = self._attributes[number] = TensorShardingAttr(
            self._meshes[sharding.mesh].reference,
            (self._dim(dim, sharding.mesh) for dim in sharding.dims),
            self.axis_refs(sharding.replicated, sharding.mesh),
            self.axis_refs(sharding.unreduced, sharding.mesh),
            sharding.reduction,
        )
        return made

    def axis_refs(self, axes: Axes, mesh: int) -> tuple[AxisRefAttr, ...]:
        """`axes` of the mesh number `mesh` as they stand in a module."""
        return tuple(self._axis(axis, mesh) for axis in axes)

    # The parts of shardings are few, and an attribute takes long to make: they are shared.

    def _dim(self, dim: Dim, mesh: int) -> DimensionShardingAttr:
        if (known := self._dims.get((mesh, dim))) is None:
            axes, is_closed, priority = dim
            known = DimensionShardingAttr(self.axis_refs(axes, mesh), is_closed=is_closed, priority=priority)
            self._dims[mesh, dim] = known
        return known

    def _axis(self, axis: Span, mesh: int) -> AxisRefAttr:
        if (known := self._axes.get((mesh, axis))) is None:
            over = self._meshes[mesh]
            known = axis_between(over.names[axis.axis], axis.start, axis.end, over.mesh)
            self._axes[mesh, axis] = known
        return known

    def open_like(self, number: int, rank: int) -> int:
        """The number of an open sharding without axes for a tensor of this rank, over the mesh of another."""
        sharding = self._shardings[number]
        return NO_SHARDING if sharding is None else self.number(Sharding(sharding.mesh, (Dim((), False),) * rank))

    def axis_numbers(self, number: int, names: Iterable[str]) -> frozenset[int]:
        """The numbers of the axes with these names in the mesh of a sharding."""
        sharding = self._shardings[number]
        known = self._meshes[sharding.mesh].names if sharding is not None else ()
        return frozenset(known.index(name) for name in names if name in known)

    def axis_sizes(self, mesh: int) -> Sequence[int]:
        """The sizes of the axes of the mesh number `mesh`, in devices."""
        return self._meshes[mesh].sizes

    def is_maximal(self, mesh: int) -> bool:
        """Whether the mesh number `mesh` is a single device."""
        return self._meshes[mesh].mesh.is_maximal

    def common_mesh(self, numbers: Iterable[int]) -> int | None:
        """
        The first mesh that some of these shardings are over, if all of them are over the same or an empty one.

        None if they are not, or if there is no sharding among them.
        """
        common: int | None = None
        for number in numbers:
            sharding = self._shardings[number]
            if sharding is None or sharding.mesh == common:
                continue
            if common is None or self._meshes[common].mesh.is_empty:
                common = sharding.mesh
                continue
            mesh = self._meshes[sharding.mesh].mesh
            if not mesh.is_empty and mesh != self._meshes[common].mesh:
                return None
        return common

    def _mesh_number(self, sharding: TensorShardingAttr) -> int:
        reference = sharding.mesh_or_ref
        if (known := self._mesh_numbers.get(reference)) is not None:
            return known
        mesh = self._find_mesh(sharding)
        if mesh is None:
            raise KeyError(f"unknown mesh: {sharding.mesh_name}")
        self._meshes.append(_Mesh(reference, mesh, tuple(mesh.sizes), tuple(mesh.sizes.values())))
        return self._mesh_numbers.setdefault(reference, len(self._meshes) - 1)


def _span(axis: AxisRefAttr, mesh: _Mesh) -> Span:
    number = mesh.names.index(axis.axis.data)
    if isinstance(axis.sub_axis, NoneAttr):
        return Span(number, 1, mesh.sizes[number])
    start = axis.sub_axis.pre_size.data
    return Span(number, start, start * axis.sub_axis.size.data)
