"""
HLO's newest notation of shardings, by the names of the axes of a mesh: `{mesh['a'=2,'b'=4], [{'a'}, {'b', ?}]}`.

Source: XLA's parser and printer of HLO text; its documents do not describe this notation yet.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import prod

from xshardy.axes.mesh import Mesh
from xshardy.axes.spans import Axes, Span, can_coexist, can_merge, overlaps
from xshardy.hlo_text.shardings.tiles import Iota, listed


@dataclass(frozen=True, slots=True)
class NamedMesh:
    """`mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0))`"""

    axes: Mesh
    order: Iota | tuple[int, ...]
    """The devices from major to minor, as they are written: an iota, or a list."""

    @classmethod
    def of(cls, axes: Mesh, device_ids: tuple[int, ...] = ()) -> NamedMesh:
        """The mesh with these devices; without any, they are 0, 1, ..."""
        return cls(axes, device_ids or Iota.of(axes.sizes, range(len(axes.sizes))))

    @classmethod
    def of_device(cls, device: int) -> NamedMesh:
        """`maximal_mesh[device_id=3]`: one device, which has whole arrays."""
        return cls(Mesh((), ()), (device,))

    @property
    def device(self) -> int | None:
        """The device of a mesh that is one device, without axes; None for other meshes."""
        return self.order[0] if isinstance(self.order, tuple) and not self.axes.names else None

    @property
    def device_ids(self) -> tuple[int, ...]:
        """The devices from major to minor; none if they are 0, 1, ..."""
        if not isinstance(self.order, Iota):
            return self.order
        return () if len(self.order.shape) == 1 else self.order.numbers()

    @property
    def spans(self) -> Axes:
        """All axes."""
        return tuple(Span(axis, 1, size) for axis, size in enumerate(self.axes.sizes))

    def problem(self) -> str | None:
        """What is wrong with this mesh; None for a good one."""
        names, sizes = self.axes.names, self.axes.sizes
        if self.device is not None:
            return None
        if (twice := next((name for index, name in enumerate(names) if name in names[:index]), None)) is not None:
            return f"the mesh has two axes {twice!r}"
        if prod(sizes) < 1:
            return "an axis of the mesh has no devices"
        if isinstance(self.order, tuple) and sorted(self.order) != [*range(prod(sizes))]:
            return f"the devices of the mesh are not 0 to {prod(sizes) - 1}, in some order"
        return None


EMPTY_MESH = NamedMesh.of(Mesh((), ()))
"""`mesh[]`, a placeholder."""


@dataclass(frozen=True, slots=True)
class NamedDim:
    """`{'a', 'b':(1)2, ?}`: the axes that divide a dimension, and whether there may be more."""

    axes: Axes = ()
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class NamedSharding:
    """`{mesh['a'=2,'b'=4], [{'a'}, {}], replicated={'b'}}`: axes that are named nowhere have replicas."""

    mesh: NamedMesh
    dims: tuple[NamedDim, ...] = ()
    """Those of the array; none if nothing is said of any axis, whatever the rank is."""
    replicated: Axes = ()
    """Axes that stay replicas when shardings are propagated."""
    unreduced: Axes = ()
    manual: Axes = ()

    def of_rank(self, rank: int) -> NamedSharding:
        """The same with `rank` dimensions. Precondition: it has none."""
        return replace(self, dims=(NamedDim(),) * rank)

    def axes_by_use(self) -> dict[str, Axes]:
        """The axes that are no dimensions', by the word for what they do, in the order of the text."""
        uses = {"replicated": self.replicated, "unreduced": self.unreduced, "manual": self.manual}
        return {use: axes for use, axes in uses.items() if axes}

    def problem(self) -> str | None:
        """What is wrong with the mesh or with an axis, in a few words; None for a good sharding."""
        if (wrong := self.mesh.problem()) is not None:
            return wrong
        lists = [*(dim.axes for dim in self.dims), self.replicated, self.unreduced, self.manual]
        for axis in (axis for axes in lists for axis in axes):
            if (wrong := self._problem_of(axis)) is not None:
                return wrong
        for one, other in combinations([axis for axes in lists for axis in axes], 2):
            if overlaps(one, other) or not can_coexist(one, other):
                return f"{self.axis_text(one)} and {self.axis_text(other)} have devices in common"
        for axes in lists:
            if any(can_merge(major, minor) for major, minor in pairwise(axes)):
                return "parts of an axis that follow each other are one part"
        for use, axes in self.axes_by_use().items():
            if list(axes) != sorted(axes):
                return f"the {use} axes are not in the order of the mesh"
        return None

    def _problem_of(self, axis: Span) -> str | None:
        size = self.mesh.axes.sizes[axis.axis]
        if self.mesh.axes.is_whole(axis):
            return None
        if axis.start < 1 or axis.size < 2 or axis.size >= size or size % axis.end:
            return f"{self.axis_text(axis)} is no part of an axis of {size}"
        return None

    def axis_text(self, axis: Span) -> str:
        """`'a'`, or `'a':(2)4` for a part."""
        name = quoted(self.mesh.axes.names[axis.axis])
        return name if self.mesh.axes.is_whole(axis) else f"{name}:({axis.start}){axis.size}"


def quoted(name: str) -> str:
    """`name` as HLO text has it."""
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def named_sharding_text(sharding: NamedSharding) -> str:
    """The text of `sharding`, without braces around it, as XLA prints it."""
    if (device := sharding.mesh.device) is not None:
        return f"maximal_mesh[device_id={device}]"
    parts = [_mesh_text(sharding.mesh)]
    uses = sharding.axes_by_use()
    if not sharding.dims and not uses:
        return ", ".join((*parts, "replicated"))
    if not sharding.dims and (
        alone := next((use for use in ("unreduced", "manual") if uses == {use: sharding.mesh.spans}), None)
    ):
        return ", ".join((*parts, alone))
    parts.append(f"[{', '.join(_dim_text(dim, sharding) for dim in sharding.dims)}]")
    parts += (f"{use}={{{_axes_text(axes, sharding)}}}" for use, axes in uses.items())
    return ", ".join(parts)


def _mesh_text(mesh: NamedMesh) -> str:
    axes = ",".join(f"{quoted(name)}={size}" for name, size in zip(mesh.axes.names, mesh.axes.sizes, strict=True))
    if not mesh.device_ids:
        return f"mesh[{axes}]"
    return f"mesh[{axes}], device_ids=({mesh.order.text if isinstance(mesh.order, Iota) else listed(mesh.order)})"


def _dim_text(dim: NamedDim, sharding: NamedSharding) -> str:
    axes = _axes_text(dim.axes, sharding)
    return f"{{{', '.join(filter(None, (axes, '?' if dim.is_open else '')))}}}"


def _axes_text(axes: Axes, sharding: NamedSharding) -> str:
    return ", ".join(map(sharding.axis_text, axes))
