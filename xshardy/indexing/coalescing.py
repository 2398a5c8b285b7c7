"""
Coalescing: how much of the memory that a warp's access touches it uses.

Memory moves in sectors. The threads of a warp that access neighbouring elements share sectors; the farther apart they
are, the more is moved for nothing. Source: XLA indexing docs, "Coalescing"; CUDA's programming guide, "Device Memory
Accesses".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.types import bit_width, tensor_type
from xshardy.indexing.fusions import maps_to_operands
from xshardy.indexing.tensor_maps import minor_to_major

SECTOR_BYTES = 32
"""What memory moves at once."""
WARP_SIZE = 32
"""Threads that access memory together."""
COALESCED = 0.5
"""An access that uses at least this part of what it moves is coalesced: not aligned to sectors, it may touch two."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """What one access of the threads of a warp touches: different `elements`, of `bits` each, in so many `sectors`."""

    elements: int
    bits: int
    sectors: int

    @property
    def efficiency(self) -> float:
        """The part of the memory moved that is used: 1 at best; 1 too for an access of nothing."""
        return self.elements * self.bits / (self.sectors * SECTOR_BYTES * 8) if self.sectors else 1.0

    @property
    def is_coalesced(self) -> bool:
        """Whether little is moved for nothing. A broadcast of one element to all threads moves one sector: it is."""
        return self.sectors <= 1 or self.efficiency >= COALESCED


def footprint(map: IndexingMap, tensor: SSAValue, *, thread: int = 0, together: Sequence[int] = ()) -> Footprint:
    """
    What the first warp touches of `tensor` when its threads access it at `map`.

    Dimension number `thread` of the map is the thread in its block. The range variables in `together` are those whose
    elements a thread accesses at once, as a vector. All other variables have their lowest values.
    """
    shape, order = shape_of(tensor), minor_to_major(tensor)
    bits = bit_width(tensor_type(tensor).element_type)
    bits = 8 if bits == 1 else bits
    dims = [bounds.lower for bounds in map.dimension_intervals]
    symbols = [bounds.lower for bounds in map.symbol_intervals]
    lanes = map.dimension_intervals[thread]
    elements: set[int] = set()
    vectors = [range(map.symbol_intervals[i].lower, map.symbol_intervals[i].upper + 1) for i in together]
    for lane, *vector in product(range(lanes.lower, min(lanes.upper, lanes.lower + WARP_SIZE - 1) + 1), *vectors):
        dims[thread] = lane
        for i, value in zip(together, vector, strict=True):
            symbols[i] = value
        if map.holds(dims, symbols):
            elements.add(_position(shape, order, map.evaluate(dims, symbols)))
    sectors = {position * bits // (SECTOR_BYTES * 8) for position in elements}
    return Footprint(len(elements), bits, len(sectors))


def read_footprints(
    threads: IndexingMap, computation: FuncOp, *, thread: int = 0, result: int = 0, together: Sequence[int] = ()
) -> Mapping[SSAValue, tuple[Footprint, ...] | None]:
    """
    How a kernel reads the parameters of `computation`, when its threads make the elements of one result at `threads`.

    One footprint for each way in which a parameter is read; None where the ways are not known. `thread` and `together`
    name variables of `threads`, as for `footprint`.
    """
    returned = computation.get_return_op()
    if returned is None:
        return {}
    found = maps_to_operands(returned.operands[result])
    footprints: dict[SSAValue, tuple[Footprint, ...] | None] = {}
    for parameter in computation.body.block.args:
        maps = found.get(parameter, ())
        if maps is None:
            footprints[parameter] = None
            continue
        reads = [threads.then(map).simplify() for map in maps]
        # The symbols of the map of the parameter come first, its range variables before those of the threads.
        footprints[parameter] = tuple(
            footprint(read, parameter, thread=thread, together=[len(map.ranges) + i for i in together])
            for map, read in zip(maps, reads, strict=True)
        )
    return footprints


def _position(shape: Sequence[int], order: Sequence[int], indices: Sequence[int]) -> int:
    """The place of an element in memory, in elements."""
    position, stride = 0, 1
    for d in order:
        position += indices[d] * stride
        stride *= shape[d]
    return position
