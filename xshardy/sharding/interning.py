"""
Shardings as integers: equal shardings have the same number, and 0 stands for no sharding.

Propagation compares and looks up shardings often and makes few new ones. Each attribute is converted once when it is
read, and a number is converted back once when it is written.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import NoneAttr, SymbolRefAttr

from xshardy.axes.mesh import Mesh
from xshardy.axes.spans import Axes, Span
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import axis_ref, mesh_of, span_of
from xshardy.ir.hashing import Key, key_of

NO_SHARDING = 0
"""The number that stands for no sharding."""


class DimSharding(NamedTuple):
    """The sharding of a dimension along `axes`, major to minor. Propagation adds axes to open dimensions only."""

    axes: Axes
    is_closed: bool
    priority: int | None = None


class Sharding(NamedTuple):
    """The sharding of a tensor; `mesh` is the number of its mesh in a `ShardingTable`."""

    mesh: int
    dims: tuple[DimSharding, ...]
    replicated: Axes = ()
    unreduced: Axes = ()
    reduction: ReductionOp = ReductionOp.SUM

    @property
    def is_empty(self) -> bool:
        """Whether no axis is named."""
        return not (self.replicated or self.unreduced or any(dim.axes for dim in self.dims))


class _KnownMesh(NamedTuple):
    """How shardings refer to a mesh, the attribute, and its axes."""

    reference: MeshAttr | SymbolRefAttr
    attribute: MeshAttr
    axes: Mesh


class ShardingTable:
    """The shardings of a module by number. `find_mesh` looks up the mesh of a sharding."""

    def __init__(self, find_mesh: Callable[[TensorShardingAttr], MeshAttr | None]):
        self._find_mesh = find_mesh
        self._shardings: list[Sharding | None] = [None]
        self._numbers: dict[Sharding, int] = {}
        self._attributes: list[TensorShardingAttr | None] = [None]
        self._read: dict[Key, int] = {}
        self._meshes: list[_KnownMesh] = []
        self._mesh_numbers: dict[MeshAttr | SymbolRefAttr, int] = {}
        self._dims: dict[tuple[int, DimSharding], DimensionShardingAttr] = {}
        self._axes: dict[tuple[int, Span], AxisRefAttr] = {}

    def read(self, attribute: TensorShardingAttr | None) -> int:
        """The number of a sharding. Raises `KeyError` if its mesh is unknown."""
        if attribute is None:
            return NO_SHARDING
        if (known := self._read.get(key := key_of(attribute))) is not None:
            return known
        mesh_number = self._mesh_number(attribute)
        mesh = self._meshes[mesh_number]

        def spans(axes: Iterable[AxisRefAttr]) -> Axes:
            return tuple(mesh.axes.numbered(span_of(axis, mesh.attribute)) for axis in axes)

        dims = (
            DimSharding(
                spans(dim.axes), bool(dim.is_closed), None if isinstance(dim.priority, NoneAttr) else dim.priority.data
            )
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
        self._read[key] = number
        if self._attributes[number] is None:
            self._attributes[number] = attribute
        return number

    def number(self, sharding: Sharding) -> int:
        """The number of `sharding`; a new number if it has none yet."""
        number = self._numbers.setdefault(sharding, len(self._shardings))
        if number == len(self._shardings):
            self._shardings.append(sharding)
            self._attributes.append(None)
        return number

    def sharding(self, number: int) -> Sharding | None:
        """The sharding with this number."""
        return self._shardings[number]

    def has_axes(self, number: int) -> bool:
        """Whether the sharding with this number shards a dimension."""
        sharding = self._shardings[number]
        return sharding is not None and any(dim.axes for dim in sharding.dims)

    def attribute(self, number: int) -> TensorShardingAttr | None:
        """The sharding with this number as an attribute."""
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
        """`axes` of mesh number `mesh` as attributes."""
        return tuple(self._axis(axis, mesh) for axis in axes)

    # Attributes are slow to construct and shardings have few distinct parts, so attributes of parts are shared.

    def _dim(self, dim: DimSharding, mesh: int) -> DimensionShardingAttr:
        if (known := self._dims.get((mesh, dim))) is None:
            axes, is_closed, priority = dim
            known = DimensionShardingAttr(self.axis_refs(axes, mesh), is_closed=is_closed, priority=priority)
            self._dims[mesh, dim] = known
        return known

    def _axis(self, axis: Span, mesh: int) -> AxisRefAttr:
        if (known := self._axes.get((mesh, axis))) is None:
            over = self._meshes[mesh]
            known = axis_ref(over.axes.named(axis), over.attribute)
            self._axes[mesh, axis] = known
        return known

    def open_like(self, number: int, rank: int) -> int:
        """The number of the open sharding without axes of this rank, over the mesh of sharding `number`."""
        sharding = self._shardings[number]
        return (
            NO_SHARDING if sharding is None else self.number(Sharding(sharding.mesh, (DimSharding((), False),) * rank))
        )

    def axis_numbers(self, number: int, names: Iterable[str]) -> frozenset[int]:
        """The numbers of the axes called `names` in the mesh of sharding `number`."""
        sharding = self._shardings[number]
        known = self._meshes[sharding.mesh].axes.names if sharding is not None else ()
        return frozenset(known.index(name) for name in names if name in known)

    def axis_sizes(self, mesh: int) -> Sequence[int]:
        """The sizes of the axes of mesh number `mesh`, in devices."""
        return self._meshes[mesh].axes.sizes

    def is_maximal(self, mesh: int) -> bool:
        """Whether mesh number `mesh` is a single device."""
        return self._meshes[mesh].attribute.is_maximal

    def common_mesh(self, numbers: Iterable[int]) -> int | None:
        """
        The number of the mesh of these shardings, the first one if several equal meshes are in use.

        Empty meshes are ignored if there is another. None if meshes differ, or if no number stands for a sharding.
        """
        common: int | None = None
        for number in numbers:
            sharding = self._shardings[number]
            if sharding is None or sharding.mesh == common:
                continue
            if common is None or self._meshes[common].attribute.is_empty:
                common = sharding.mesh
                continue
            mesh = self._meshes[sharding.mesh].attribute
            if not mesh.is_empty and mesh != self._meshes[common].attribute:
                return None
        return common

    def _mesh_number(self, sharding: TensorShardingAttr) -> int:
        reference = sharding.mesh_or_ref
        if (known := self._mesh_numbers.get(reference)) is not None:
            return known
        mesh = self._find_mesh(sharding)
        if mesh is None:
            raise KeyError(f"unknown mesh: {sharding.mesh_name}")
        self._meshes.append(_KnownMesh(reference, mesh, mesh_of(mesh)))
        return self._mesh_numbers.setdefault(reference, len(self._meshes) - 1)
