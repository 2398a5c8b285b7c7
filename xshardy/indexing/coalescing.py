"""
Coalescing: the used part of the memory that an access of a warp transfers.

Memory is transferred in sectors. Threads of a warp that access adjacent elements share sectors; scattered accesses
transfer unused bytes. Source: XLA indexing docs, "Coalescing"; CUDA's programming guide, "Device Memory Accesses".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.types import bit_width, tensor_type
from xshardy.gpus.sizes import SECTOR_BYTES, WARP_SIZE
from xshardy.indexing.fusions import maps_to_operands
from xshardy.indexing.tensor_maps import minor_to_major

COALESCED = 0.5
"""The efficiency from which an access is coalesced. An access that is not aligned to sectors may touch two."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """The memory that one access of a warp touches: distinct `elements`, of `bits` each, in `sectors`."""

    elements: int
    bits: int
    sectors: int

    @property
    def efficiency(self) -> float:
        """The used part of the transferred memory, at most 1; 1 for an empty access."""
        return self.elements * self.bits / (self.sectors * SECTOR_BYTES * 8) if self.sectors else 1.0

    @property
    def is_coalesced(self) -> bool:
        """
        Whether the access wastes little.

        A broadcast of one element to all threads transfers one sector: coalesced.
        """
        return self.sectors <= 1 or self.efficiency >= COALESCED


def footprint(map: IndexingMap, tensor: SSAValue, *, thread: int = 0, together: Sequence[int] = ()) -> Footprint:
    """
    The footprint on `tensor` of the first warp, when its threads access it at `map`.

    The dimension of the map named `thread` is the thread in its block. The range variables in `together` number the
    elements of a vector access. All other variables have their lowest values.
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
    The footprints on the parameters of `computation`, when threads compute the elements of a result at `threads`.

    One footprint per map by which a parameter is read; None for unknown maps. `thread` and `together` name variables of
    `threads`, as for `footprint`.
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
    """The position of an element in memory, in elements."""
    position, stride = 0, 1
    for d in order:
        position += indices[d] * stride
        stride *= shape[d]
    return position
