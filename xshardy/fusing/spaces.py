"""
The elements that the threads of a kernel go through, and where they read a value meanwhile.

Kernels become one if their threads go through the same elements and read what the other kernel computes at the same
place. Source: the conditions of the emitters for several results (`emitters/heroes.py`).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from math import prod

from xdsl.ir import Operation, SSAValue

from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.emitters.reduction.dimensions import is_race_free, pays_off
from xshardy.emitters.row_wise.choice import row_dimensions
from xshardy.facts.movement import is_elementwise
from xshardy.fusing.cost import has_enough_rows, is_computed_by_element
from xshardy.gpus.devices import Device
from xshardy.indexing.fusions import operand_reads
from xshardy.indexing.reduction_dimensions import ReductionDimensions, kept_order, map_to_row, reduction_dimensions
from xshardy.indexing.tensor_maps import bitcast_map, minor_to_major


class Place(Enum):
    """Where a thread reads a value while it computes an element of the space."""

    ELEMENT = auto()
    """At the same position in memory."""
    PART = auto()
    """One element for all that are reduced together: the position of this row, or of this part of a column."""
    ELSEWHERE = auto()


@dataclass(frozen=True, slots=True)
class Space:
    """The elements that the threads of a kernel go through, and the reductions among them, if it has any."""

    elements: int
    reduction: ReductionDimensions | None = None
    is_row_wise: bool = False
    """Whether the row-wise emitter can reduce, so that rows are read again with their reduced values."""

    @property
    def parts(self) -> int:
        """The number of results of a reduction; 0 without one."""
        return 0 if self.reduction is None else prod(self.reduction.output_shape)

    def with_other(self, other: "Space") -> "Space | None":
        """The space of a kernel that computes what both do; None if there is none."""
        if self.reduction is None:
            return other.with_other(self) if other.reduction is not None else self if self == other else None
        if other.reduction is not None:
            return self if self == other else None
        fits = other.elements == self.elements or (self.is_row_wise and other.elements == self.parts)
        return self if fits else None


def space_of(members: Collection[Operation], results: Iterable[SSAValue]) -> Space | None:
    """The space of a kernel with these operations and results; None if it does not fit others."""
    heroes = [op for op in members if not is_computed_by_element(op)]
    sizes = {prod(shape_of(result)) for result in results}
    if not heroes:
        return Space(sizes.pop()) if len(sizes) == 1 else None
    reductions = {_reduction(hero) for hero in heroes}
    if len(reductions) != 1 or (reduction := reductions.pop()) is None:
        return None
    space = Space(prod(reduction.sizes), reduction, _is_row_wise(heroes[0]))
    return space if sizes <= {space.elements, space.parts} else None


def _reduction(hero: Operation) -> ReductionDimensions | None:
    """The dimensions that the emitters of reductions take."""
    if not isinstance(hero, stablehlo.ReduceOp) or not prod(shape_of(hero.inputs[0])):
        return None
    if any(minor_to_major(result) != kept_order(hero) for result in hero.results):
        return None
    dimensions, device = reduction_dimensions(hero), Device()
    if dimensions is None or _is_row_wise(hero):
        return dimensions
    return dimensions if pays_off(dimensions, device) and is_race_free(dimensions, device) else None


def _is_row_wise(hero: Operation) -> bool:
    dimensions = row_dimensions(hero) if isinstance(hero, stablehlo.ReduceOp) else None
    return dimensions is not None and has_enough_rows(dimensions)


@dataclass(frozen=True)
class Places:
    """Where kernels read values. Places of single operations are kept, as an operation may be asked for often."""

    known: dict[tuple[SSAValue, Place, Space], list[tuple[SSAValue, Place]]] = field(
        default_factory=dict[tuple[SSAValue, Place, Space], list[tuple[SSAValue, Place]]]
    )

    def of(
        self, members: Iterable[Operation], results: Iterable[SSAValue], space: Space
    ) -> Mapping[SSAValue, Collection[Place]] | None:
        """
        The places of all values that `members`, readers first, read for `results`, and of these.

        None if the kernel cannot compute them: a reduced value is read elsewhere.
        """
        found = {result: {_of_result(result, space)} for result in results}
        for op in members:
            for result in op.results:
                for place in found.get(result, ()):
                    if not _can_compute(op, place, space):
                        return None
                    for operand, there in self.of_operands(result, place, space):
                        found.setdefault(operand, set()).add(there)
        return found

    def of_operands(self, result: SSAValue, place: Place, space: Space) -> list[tuple[SSAValue, Place]]:
        """The operands that `result` depends on, and where they are read if it is read at `place`."""
        key = result, place, space
        if (places := self.known.get(key)) is None:
            places = self.known[key] = [*_places_of_operands(result, place, space)]
        return places


def _of_result(result: SSAValue, space: Space) -> Place:
    return Place.ELEMENT if prod(shape_of(result)) == space.elements else Place.PART


def _can_compute(op: Operation, place: Place, space: Space) -> bool:
    if isinstance(op, stablehlo.ReduceOp):
        return place is Place.PART
    # The emitter of other reductions applies only operations of one operand to what is reduced.
    return place is not Place.PART or space.is_row_wise or (is_elementwise(op) and len(op.operands) == 1)


def _places_of_operands(result: SSAValue, place: Place, space: Space) -> Iterator[tuple[SSAValue, Place]]:
    op = result.owner
    if isinstance(op, stablehlo.ReduceOp):
        yield from ((value, Place.ELEMENT) for value in op.inputs)
        yield from ((value, Place.ELSEWHERE) for value in op.init_values)
        return
    for operand, maps in operand_reads(result, (IndexingMap.identity(shape_of(result)),)):
        map = maps[0].results if maps is not None and len(maps) == 1 else None
        yield operand, _place(result, operand, place, map, space)


def _place(result: SSAValue, operand: SSAValue, place: Place, map: object, space: Space) -> Place:
    """Where `operand` is read for an element of `result`, at indices `map` of it, that is read at `place`."""
    size = prod(shape_of(operand))
    if size == prod(shape_of(result)) and map == bitcast_map(result, operand).simplify().results:
        return place
    if place is Place.ELEMENT and space.is_row_wise and size == space.parts and space.reduction is not None:
        row = map_to_row(result, shape_of(operand), minor_to_major(operand), space.reduction.sizes[2])
        return Place.PART if map == row.results else Place.ELSEWHERE
    return Place.ELSEWHERE
