"""
Device groups of collectives in the notations of HLO text: lists, an iota, or mesh axes.

`{{0,1},{2,3}}`, `[2,2]<=[4]`, `[2,2]<=[2,2]T(1,0)` or `mesh['x'=2,'y'=2] {'y'}`; `'y':(1)2` is a sub-axis. A mesh may
list its devices: `mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)) {'y'}` or `mesh['x'=2, device_ids=(1,0)] {'x'}`.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import prod

from xshardy.axes.strides import strided, strides_of

IOTA = re.compile(r"\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?")
IDS = r"(?:,\s*device_ids=\((?P<{}>[\d,\s\[\]T()]*)\))?"
MESH = re.compile(rf"mesh\[(?P<axes>[^\]]*?){IDS.format('inner')}\]{IDS.format('ids')}\s*\{{(?P<chosen>[^{{}}]*)\}}")
TRANSPOSED = re.compile(r"\[([\d,]+)\](?:T\(([\d,]+)\))?")
AXIS = re.compile(r"'([^']*)'\s*=\s*(\d+)")
CHOSEN = re.compile(r"'([^']*)'(?::\((\d+)\)(\d+))?")
LIST = re.compile(r"\{([^{}]*)\}")
MAX_DEVICES = 1 << 24
"""The maximal number of devices of a group that is expanded."""

Groups = tuple[tuple[int, ...], ...]


def numbers(text: str) -> list[int]:
    """`1,2` -> [1, 2]"""
    return [int(part) for part in text.split(",") if part.strip()]


@lru_cache(1024)
def groups_of(text: str) -> Groups:
    """The groups, each a tuple of devices. Raises `ValueError`, with the reason, for invalid text."""
    if text.startswith("{"):
        return tuple(tuple(numbers(group)) for group in LIST.findall(text[1:-1]))
    if match := IOTA.fullmatch(re.sub(r"\s", "", text)):
        return iota_groups(numbers(match[1]), numbers(match[2]), numbers(match[3]) if match[3] else None)
    if match := MESH.fullmatch(text):
        return mesh_groups(match)
    raise ValueError("expected lists of devices, `[groups,size]<=[devices]`, or axes of a mesh")


def iota_groups(shape: list[int], dims: list[int], permutation: list[int] | None) -> Groups:
    """`[groups,size]<=[dims]T(permutation)`: an iota of devices, reshaped, transposed, and cut into groups."""
    if len(shape) != 2 or prod(shape) != prod(dims) or prod(dims) > MAX_DEVICES:
        raise ValueError(f"{shape} groups do not have the devices of {dims}")
    order = range(len(dims)) if permutation is None else permutation
    if sorted(order) != list(range(len(dims))):
        raise ValueError(f"{permutation} is not a permutation of the {len(dims)} dimensions")
    return in_groups(transposed(dims, order), shape[1])


def transposed(dims: Sequence[int], order: Sequence[int]) -> list[int]:
    """The elements of an iota of shape `dims`, transposed: result dimension `d` is dimension `order[d]`."""
    strides = strides_of(dims)
    return strided((dims[dim], strides[dim]) for dim in order)


def in_groups(devices: Sequence[int], size: int) -> Groups:
    """`devices`, cut into groups of `size`."""
    return tuple(tuple(devices[start : start + size]) for start in range(0, len(devices), size))


def device_ids(text: str) -> list[int]:
    """`3,2,1,0`, or `[2,2]T(1,0)`: an iota, reshaped and transposed."""
    if (match := TRANSPOSED.fullmatch(re.sub(r"\s", "", text))) is None:
        return numbers(text)
    dims = numbers(match[1])
    (ids,) = iota_groups([1, prod(dims)], dims, numbers(match[2]) if match[2] else None)
    return [*ids]


def mesh_groups(match: re.Match[str]) -> Groups:
    """One group per combination of coordinates along the axes that are not named."""
    sizes = {name: int(size) for name, size in AXIS.findall(match["axes"])}
    if prod(sizes.values()) > MAX_DEVICES:
        raise ValueError("the mesh has too many devices")
    listed = match["ids"] or match["inner"]
    ids = range(prod(sizes.values())) if listed is None else device_ids(listed)
    if len(ids) != prod(sizes.values()):
        raise ValueError(f"the mesh has {prod(sizes.values())} devices, but {len(ids)} are listed")
    dims: list[int] = []
    chosen: dict[tuple[str, int], int] = {}
    parts = [(name, int(pre or 1), int(size) if size else None) for name, pre, size in CHOSEN.findall(match["chosen"])]
    for name, _, _ in parts:
        if name not in sizes:
            raise ValueError(f"the mesh has no axis '{name}'")
    for name, size in sizes.items():
        cuts = sorted({1, size, *(cut for n, pre, part in parts if n == name for cut in (pre, pre * (part or size)))})
        for low, high in pairwise(cuts):
            if high % low:
                raise ValueError(f"parts of axis '{name}' do not fit together")
            if any(n == name and pre <= low and high <= pre * (part or size) for n, pre, part in parts):
                chosen[(name, low)] = len(dims)
            dims.append(high // low)
    order = [axis for name, pre, _ in parts for (n, low), axis in chosen.items() if n == name and low >= pre]
    order = list(dict.fromkeys(order))
    rest = [axis for axis in range(len(dims)) if axis not in order]
    width = prod(dims[axis] for axis in order)
    return in_groups([ids[place] for place in transposed(dims, [*rest, *order])], width)


def write_groups(groups: Groups) -> str:
    """The groups in list notation."""
    return "{" + ",".join("{" + ",".join(map(str, group)) + "}" for group in groups) + "}"
