"""
Estimates of the time of collectives: a latency for each step, and the bytes by the bandwidth.

Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH" (2005), for rings
and trees; "How to Scale Your Model" (2025), chapter "Sharded matrices", for exchanges on rings.
"""

from collections.abc import Callable, Mapping, Sequence

from xshardy.planning.collective_bytes import (
    ALL_GATHER,
    ALL_REDUCE,
    ALL_TO_ALL,
    BROADCAST,
    PERMUTE,
    RAGGED,
    REDUCE,
    REDUCE_SCATTER,
    SENT,
)
from xshardy.planning.collectives import Collective
from xshardy.planning.topology import Link, LinkKind, Topology

NEIGHBOURS = (LinkKind.RING, LinkKind.LINE)
EXCHANGES = (ALL_TO_ALL, RAGGED)


def _around(size: int) -> int:
    return size - 1


def _halves(size: int) -> int:
    return (size - 1).bit_length()


def _once(size: int) -> int:
    return 1


def _half_way(size: int) -> int:
    return size // 2


Steps = Mapping[str, Callable[[int], int]]
"""The steps of collectives, from the number of devices in a group."""

GATHERS = (ALL_GATHER, REDUCE_SCATTER, BROADCAST, REDUCE)
AMONG_NEIGHBOURS: Steps = {
    **dict.fromkeys(GATHERS, _around),
    **dict.fromkeys(EXCHANGES, _half_way),
    PERMUTE: _once,
}
STEPS: Mapping[LinkKind, Steps] = {
    LinkKind.RING: AMONG_NEIGHBOURS,
    LinkKind.LINE: AMONG_NEIGHBOURS,
    LinkKind.SWITCH: {**dict.fromkeys(GATHERS, _around), **dict.fromkeys(EXCHANGES, _once), PERMUTE: _once},
    LinkKind.TREE: {**dict.fromkeys(GATHERS, _halves), **dict.fromkeys(EXCHANGES, _once), PERMUTE: _once},
}
"""An all-reduce is missing: it is a reduce-scatter and an all-gather."""


def steps(kind: str, size: int, link: LinkKind) -> int:
    """The number of steps of a collective in groups of `size` devices."""
    if kind == ALL_REDUCE:
        return 2 * steps(ALL_GATHER, size, link)
    return STEPS[link][kind](size)


def bytes_on_link(kind: str, operand: int, size: int, link: LinkKind) -> float:
    """
    The bytes by which the time of a collective is the bandwidth of a device, for an operand of `operand` bytes.

    On a switch, those that the device sends. Among neighbours, a permute uses one of two directions, and an exchange
    passes through other devices: a quarter of the ring on average. A line has half of the paths of a ring.
    """
    sent = SENT[kind](operand, size)
    if link not in NEIGHBOURS:
        return sent
    if kind == PERMUTE:
        return 2 * sent
    on_ring = operand * size / 4 if kind in EXCHANGES else sent
    return 2 * on_ring if link is LinkKind.LINE and size > 2 else on_ring


def seconds(kind: str, operand: int, size: int, link: Link) -> float:
    """The time of one execution of a collective."""
    if size < 2:
        return 0
    return steps(kind, size, link.kind) * link.latency + bytes_on_link(kind, operand, size, link.kind) / link.bandwidth


def link_of(axes: Sequence[str], topology: Topology) -> Link:
    """
    The link of a collective along `axes`, `x` or `x:(2)4`: neighbours along several axes add their bandwidths; else
    the slowest link of all.

    Raises `TopologyError` for an axis without a link.
    """
    links = [topology.link(axis.partition(":")[0]) for axis in axes] or [topology.link("*")]
    slowest = min(links, key=lambda link: link.bandwidth)
    is_torus = all(link.kind in NEIGHBOURS for link in links)
    bandwidth = sum(link.bandwidth for link in links) if is_torus else slowest.bandwidth
    return Link(slowest.kind, bandwidth, max(link.latency for link in links))


def collective_seconds(collective: Collective, topology: Topology) -> float:
    """The time of all executions. Raises `TopologyError` for an axis without a link."""
    link = link_of(collective.axes, topology)
    return collective.count * seconds(collective.kind, collective.operand, collective.group, link)
