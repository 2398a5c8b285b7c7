"""
HLO shardings as values: which device has which part of an array, and the axes that the text names, if it names any.

Source: XLA's docs, "HLO sharding"; `normalized` brings equal ones to the form in which XLA prints them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import prod
from typing import TypeAlias

from xshardy.hlo_text.shardings.named_sharding import NamedSharding
from xshardy.hlo_text.shardings.tiles import Tiles


class Uniform(Enum):
    """What all devices do alike with an array, or with a group of devices that have the same tile."""

    MANUAL = "manual"
    UNREDUCED = "unreduced"
    REPLICATED = "replicated"
    UNKNOWN = "unknown"


SUBGROUPS = (Uniform.MANUAL, Uniform.UNREDUCED, Uniform.REPLICATED)
"""What a dimension of tiles after those of the array may be, in the order in which XLA writes them."""


@dataclass(frozen=True, slots=True)
class OneDevice:
    """`maximal device=3`: that device has the whole array."""

    device: int


@dataclass(frozen=True, slots=True)
class Tiled:
    """
    `devices=[2,1,4]<=[8] last_tile_dims={manual}`: a tile of the array for each device.

    The last dimensions of `tiles` are no dimensions of the array: the devices along them have the same tile, and
    `subgroups` says what these are to each other.
    """

    tiles: Tiles
    subgroups: tuple[Uniform, ...] = ()

    @property
    def rank(self) -> int:
        """The number of dimensions of the array."""
        return len(self.tiles.shape) - len(self.subgroups)


Placement: TypeAlias = Uniform | OneDevice | Tiled


class ShardGroupKind(Enum):
    """Whether the members of a group have one sharding, or shardings alike."""

    AS = "shard_as"
    LIKE = "shard_like"


@dataclass(frozen=True, slots=True)
class ShardGroup:
    """`shard_as 3`: a member of group 3."""

    kind: ShardGroupKind
    number: int


class Reduction(Enum):
    """How the parts of an unreduced array are combined; the value is its name in the metadata of a sharding."""

    SUM = "SUM"
    MAX = "MAX"
    MIN = "MIN"


@dataclass(frozen=True, slots=True)
class HloSharding:
    """The sharding of one array."""

    placement: Placement
    group: ShardGroup | None = None
    reduction: Reduction = Reduction.SUM
    metadata: tuple[str, ...] = ()
    """Entries such as `op_name="f"`, as written."""
    named: NamedSharding | None = None
    """The sharding as it is written, if that is by the names of axes; `placement` is what it means for devices."""

    @property
    def rank(self) -> int | None:
        """The number of dimensions of the array; None for a sharding that arrays of any rank may have."""
        if self.named is not None and self.named.dims:
            return len(self.named.dims)
        return self.placement.rank if isinstance(self.placement, Tiled) and self.named is None else None

    def normalized(self) -> HloSharding:
        """The same sharding as XLA writes it."""
        if not isinstance(self.placement, Tiled):
            return self
        return replace(self, placement=normalized_tiles(self.placement.tiles, self.placement.subgroups))


REPLICATED = HloSharding(Uniform.REPLICATED)

HloShardings: TypeAlias = HloSharding | tuple[HloSharding, ...]
"""The sharding of an array, or those of the arrays of a tuple."""


def normalized_tiles(tiles: Tiles, subgroups: Sequence[Uniform]) -> Tiled | Uniform:
    """
    These tiles as XLA writes them: one dimension for each sort of subgroup, in the order of `SUBGROUPS`.

    Replicas are sorted. Tiles that do not divide the array and have one sort of subgroup are that sort.
    """
    rank = len(tiles.shape) - len(subgroups)
    if not subgroups:
        return Tiled(tiles)
    if len(set(subgroups)) == 1 and prod(tiles.shape[:rank]) == 1:
        return subgroups[0]
    dims = {
        kind: [rank + at for at, other in enumerate(subgroups) if other is kind and tiles.shape[rank + at] > 1]
        for kind in SUBGROUPS
    }
    kinds = tuple(kind for kind in SUBGROUPS if dims[kind])
    sizes = [prod(tiles.shape[dim] for dim in dims[kind]) for kind in kinds]
    order = [*range(rank), *(dim for kind in kinds for dim in dims[kind])]
    left_out = [dim for dim in range(rank, len(tiles.shape)) if dim not in order]
    tiles = tiles.transposed([*order, *left_out]).reshaped([*tiles.shape[:rank], *sizes])
    if kinds and prod(tiles.shape[:rank]) == 1 and len(kinds) == 1:
        return kinds[0]
    if kinds and kinds[-1] is Uniform.REPLICATED:
        tiles = tiles.sorted_within(sizes[-1])
    return Tiled(tiles, kinds)
