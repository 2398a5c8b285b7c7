"""Faults of kernels at the lines that people read: of PTX, or of the source that it is compiled from."""

from collections.abc import Iterable

from xshardy.ptx.faults import Fault, FaultKind
from xshardy.tools.ptx_source import Place, PtxSource

PlacedFaults = dict[tuple[FaultKind, Place], Fault]


def placed_faults(faults: Iterable[Fault], source: PtxSource) -> PlacedFaults:
    """Those at the same place only once for each kind, in the order of the lines: one of C++ may be many of PTX."""
    placed: PlacedFaults = {}
    for fault in sorted(faults, key=lambda fault: fault.line):
        placed.setdefault((fault.kind, source.place(fault.line)), fault)
    return placed


def fault_text(place: Place, fault: Fault) -> str:
    """`k.cu:7: error: race: ...`"""
    return f"{place}: error: {fault.kind.value}: {fault.what}"
