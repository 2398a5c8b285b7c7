"""
Between meshes and HLO shardings: every axis of a mesh, and every dimension of tiles, is a part of one *device axis*.

The device axis has all devices, in the order 0, 1, ... A span of it is a digit of a device's number: an axis of a mesh
is the digit that it adds to the number, and a dimension of tiles, which divides the devices, is a sequence of digits.
So a mesh for some tiles is a division of the device axis into spans of which all their digits consist.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import prod

from xshardy.axes.spans import Axes, Span, difference, merged, size_of
from xshardy.hlo_text.shardings.hlo_sharding import HloSharding, OneDevice, Reduction, Tiled, Uniform
from xshardy.hlo_text.shardings.named_sharding import NamedMesh, NamedSharding
from xshardy.hlo_text.shardings.tiles import Iota, Tiles, common_factors, strides_of

DEVICES = 0
"""The number of the device axis, the only one here."""


# From tiles to axes


def digits_of_tiles(tiles: Tiles) -> tuple[Axes, ...] | None:
    """
    For each dimension of `tiles`, the digits of the device's number along it, major first.

    None if there are none: the devices are listed in an order that no numbers of axes describe.
    """
    if not isinstance(order := tiles.order, Iota):
        return None
    factors = common_factors(tiles.shape, order.read_shape)
    if factors is None:
        return None
    digits = _split(_read_digits(order), factors)
    dims: list[Axes] = []
    for size in tiles.shape:
        taken: list[Span] = []
        while size_of(taken) < size:
            taken.append(digits.pop(0))
        dims.append(tuple(taken))
    return tuple(dims)


def _read_digits(order: Iota) -> list[Span]:
    """The dimensions of `order` as digits, in the order in which they are read."""
    count = prod(order.shape)
    ends = [count // stride for stride in strides_of(order.shape)]
    return [
        Span(DEVICES, ends[dim] // order.shape[dim], ends[dim]) for dim in order.permutation if order.shape[dim] > 1
    ]


def _split(digits: Iterable[Span], factors: Iterable[int]) -> list[Span]:
    """`digits` divided into parts of the sizes `factors`. Precondition: these divide them."""
    rest = iter(factors)
    parts: list[Span] = []
    for digit in digits:
        start = digit.start
        while start < digit.end:
            end = start * next(rest)
            parts.append(Span(DEVICES, start, end))
            start = end
    return parts


def axes_of(digits: Iterable[Span], sizes: Sequence[int]) -> Axes | None:
    """
    The axes of a mesh of `sizes`, or parts of them, that make up `digits`, in the order of `digits`.

    None if a digit is not made up of such: axes of sizes 2 and 3 have no part for the first digit of 3 and 2.
    """
    found: list[Span] = []
    for digit in digits:
        for axis, size in enumerate(sizes):
            bound = axis_digit(Span(axis, 1, size), sizes)
            start, end = max(digit.start, bound.start), min(digit.end, bound.end)
            if start >= end:
                continue
            if start % bound.start or end % start or bound.end % end:
                return None
            found.append(Span(axis, start // bound.start, end // bound.start))
    return merged(found)


# From axes to tiles


def axis_digit(axis: Span, sizes: Sequence[int]) -> Span:
    """The digit that `axis`, of a mesh of `sizes`, is of a device's number."""
    outer = prod(sizes[: axis.axis])
    return Span(DEVICES, outer * axis.start, outer * axis.end)


@dataclass(frozen=True, slots=True)
class DeviceMesh:
    """The sizes of the axes of a mesh, major first, and its devices, if these are not 0, 1, ..."""

    sizes: tuple[int, ...]
    device_ids: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """The number of devices."""
        return prod(self.sizes)

    def tiles(self, groups: Sequence[Axes]) -> Tiles:
        """The array of devices with a dimension for each of `groups`, which together have all axes of the mesh."""
        digits = [axis_digit(axis, self.sizes) for axes in groups for axis in axes if axis.size > 1]
        major_first = sorted(digits)
        order = Iota.of([digit.size for digit in major_first], [major_first.index(digit) for digit in digits])
        shape = tuple(size_of(axes) for axes in groups)
        if not self.device_ids:
            return Tiles(shape, order)
        return Tiles(shape, tuple(self.device_ids[number] for number in order.numbers()))


@dataclass(frozen=True, slots=True)
class AxisSharding:
    """Which axes of a mesh do what to an array: axes that are named nowhere have replicas."""

    dims: tuple[Axes, ...]
    """The axes that divide each dimension."""
    manual: Axes = ()
    unreduced: Axes = ()
    reduction: Reduction = Reduction.SUM


def hlo_sharding(sharding: AxisSharding, mesh: DeviceMesh) -> HloSharding:
    """`sharding` in the notation of HLO. Precondition: its axes can be parts of one division of each axis."""
    if mesh.count == 1:
        return HloSharding(Uniform.REPLICATED)
    kinds = [(Uniform.MANUAL, sharding.manual), (Uniform.UNREDUCED, sharding.unreduced)]
    subgroups = [(kind, axes) for kind, axes in kinds if axes]
    named = [axis for axes in (*sharding.dims, sharding.manual, sharding.unreduced) for axis in axes]
    replicas = tuple(
        part
        for axis, size in enumerate(mesh.sizes)
        for part in difference(Span(axis, 1, size), [other for other in named if other.axis == axis])
    )
    if size_of(replicas) > 1:
        subgroups.append((Uniform.REPLICATED, replicas))
    tiles = mesh.tiles([*sharding.dims, *(axes for _, axes in subgroups)])
    reduction = sharding.reduction if sharding.unreduced else Reduction.SUM
    return HloSharding(Tiled(tiles, tuple(kind for kind, _ in subgroups)), reduction=reduction).normalized()


def hlo_sharding_of_named(
    named: NamedSharding, reduction: Reduction = Reduction.SUM, metadata: tuple[str, ...] = ()
) -> HloSharding:
    """`named` with what it means for devices. Precondition: it has no `problem`."""
    if (device := named.mesh.device) is not None:
        return HloSharding(OneDevice(device), metadata=metadata, named=named)
    dims = tuple(dim.axes for dim in named.dims)
    found = hlo_sharding(AxisSharding(dims, named.manual, named.unreduced, reduction), device_mesh(named.mesh))
    if isinstance(found.placement, Tiled) and isinstance(named.mesh.order, Iota):
        tiles = Tiles.of_devices(found.placement.tiles.shape, found.placement.tiles.devices())
        found = replace(found, placement=replace(found.placement, tiles=tiles))
    return replace(found, metadata=metadata, named=named)


def device_mesh(mesh: NamedMesh) -> DeviceMesh:
    """`mesh` without the names of its axes."""
    return DeviceMesh(mesh.axes.sizes, mesh.device_ids)


# From HLO shardings to axes


class NoMesh(ValueError):
    """No mesh has the axes that shardings need: `culprit` is the first one that does not fit those before it."""

    def __init__(self, culprit: HloSharding, reason: str):
        super().__init__(reason)
        self.culprit = culprit


def find_mesh(shardings: Iterable[HloSharding]) -> DeviceMesh | None:
    """
    The mesh with the fewest axes in which each of `shardings` can be written; None if none of them needs one.

    Its devices are in the order 0, 1, ... if they can be, else in the order of one of the shardings, else in that of
    one of them with its replicas in the order of all others. Raises `NoMesh`.
    """
    tiled = {s: s.placement for s in shardings if isinstance(s.placement, Tiled)}
    if not tiled:
        return None
    _check_devices(tiled)
    unordered = [placement for placement in tiled.values() if digits_of_tiles(renumbered(placement, ())) is None]
    unordered.sort(key=replica_count)
    # Replicas are sorted, so only tiles without replicas have the whole order of a mesh. Other tiles order replicas.
    orders = (placement.tiles.devices() for placement in unordered)
    refined = (_order_of_replicas(placement, [*tiled.values()]) for placement in unordered)
    failures: list[NoMesh] = []
    for device_ids in chain(dict.fromkeys([(), *orders]), refined):
        try:
            return DeviceMesh(_sizes_in_order(tiled, device_ids), device_ids)
        except NoMesh as failure:
            failures.append(failure)
    raise failures[0]


def _check_devices(tiled: Mapping[HloSharding, Tiled]) -> None:
    """Raise `NoMesh` unless all of `tiled` have the same devices, and these are 0, 1, ..."""
    count = None
    for sharding, placement in tiled.items():
        tiles = placement.tiles
        if count is not None and tiles.count != count:
            raise NoMesh(sharding, f"it has {tiles.count} devices, and another sharding has {count}")
        count = tiles.count
        if isinstance(tiles.order, tuple) and max(tiles.order) >= count:
            raise NoMesh(
                sharding, f"it lists device {max(tiles.order)}, but the last of {count} devices is {count - 1}"
            )


def _sizes_in_order(tiled: Mapping[HloSharding, Tiled], device_ids: Sequence[int]) -> tuple[int, ...]:
    """The sizes of the axes for `tiled`, of a mesh with these `device_ids`. Raises `NoMesh`."""
    sizes: tuple[int, ...] | None = None
    for sharding, placement in tiled.items():
        digits = digits_of_tiles(renumbered(placement, device_ids))
        if digits is None:
            raise NoMesh(sharding, "no axes of a mesh, in any order, have its devices in this order")
        local = [digit.size for digit in sorted(digit for dim in digits for digit in dim)]
        sizes = common_factors(local if sizes is None else sizes, local)
        if sizes is None:
            raise NoMesh(
                sharding, "no axis is a part of the axes that it needs and of those that shardings before it need"
            )
    assert sizes is not None
    return sizes


def replica_count(placement: Tiled) -> int:
    """The number of devices that have the same tile."""
    return placement.tiles.shape[-1] if placement.subgroups[-1:] == (Uniform.REPLICATED,) else 1


def _order_of_replicas(placement: Tiled, others: Sequence[Tiled]) -> tuple[int, ...]:
    """The devices tile by tile, those of one tile by their tiles in `others`."""
    tiles = [
        {device: index // replica_count(each) for index, device in enumerate(each.tiles.devices())}
        for each in (placement, *others)
    ]
    return tuple(sorted(tiles[0], key=lambda device: [*(numbers[device] for numbers in tiles), device]))


def renumbered(placement: Tiled, device_ids: Sequence[int]) -> Tiles:
    """The tiles with each device by its position in `device_ids`, replicas sorted; an iota where there is one."""
    tiles = placement.tiles
    if not device_ids and isinstance(tiles.order, Iota):
        return tiles
    position = {device: index for index, device in enumerate(device_ids or range(tiles.count))}
    numbers = Tiles(tiles.shape, tuple(position[device] for device in tiles.devices()))
    return Tiles.of_devices(tiles.shape, numbers.sorted_within(replica_count(placement)).devices())


def axis_sharding(placement: Tiled, reduction: Reduction, mesh: DeviceMesh) -> AxisSharding:
    """Those tiles by the axes of a mesh that `find_mesh` found for them. Replicas are left out."""
    digits = digits_of_tiles(renumbered(placement, mesh.device_ids))
    assert digits is not None, "the mesh was found for these tiles"
    axes = [axes_of(dim, mesh.sizes) or () for dim in digits]
    kinds = dict(zip(placement.subgroups, axes[placement.rank :], strict=True))
    return AxisSharding(
        tuple(axes[: placement.rank]), kinds.get(Uniform.MANUAL, ()), kinds.get(Uniform.UNREDUCED, ()), reduction
    )
