"""How a tensor is divided, as the search sees it: for each dimension, the numbers of the axes that divide it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from xdsl.dialects.builtin import SymbolRefAttr

from xshardy.axes.spans import Span, append, contains
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import axis_ref, span_of

Placement = tuple[tuple[int, ...], ...]
"""For each dimension, the numbers of its axes, major to minor."""

MOST_PADDED = 1.34
"""By which factor padding may make a tensor larger: 3 elements on 4 devices are 4."""


def whole(rank: int) -> Placement:
    """Each device has all of the tensor."""
    return ((),) * rank


@dataclass(frozen=True, slots=True)
class SearchAxes:
    """The axes of a mesh, or parts of them, which the search gives to dimensions one by one."""

    mesh: str
    """The symbol of the mesh."""
    attribute: MeshAttr
    spans: tuple[Span[str], ...]
    """In the order of the mesh."""

    @staticmethod
    def of(mesh: str, attribute: MeshAttr, shardings: Iterable[TensorShardingAttr]) -> "SearchAxes":
        """The axes with more than one device, cut where one of `shardings` has a part of an axis."""
        cuts: dict[str, set[int]] = {name: {1, size} for name, size in attribute.sizes.items() if size > 1}
        for sharding in shardings:
            for axis in (axis for dim in sharding.dim_shardings for axis in dim.axes):
                span = span_of(axis, attribute)
                cuts.setdefault(span.axis, {1}).update((span.start, span.end))
        return SearchAxes(
            mesh,
            attribute,
            tuple(
                Span(name, start, end)
                for name, places in cuts.items()
                for start, end in zip(sorted(places), sorted(places)[1:], strict=False)
            ),
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of devices along each axis."""
        return tuple(span.size for span in self.spans)

    def parts(self, axes: Iterable[int]) -> int:
        """Into how many parts these axes divide a dimension."""
        return prod(self.spans[axis].size for axis in axes)

    def part_shape(self, shape: Sequence[int], placement: Placement) -> tuple[int, ...]:
        """The shape of the largest part of a tensor, in elements."""
        return tuple(-(-size // self.parts(axes)) for size, axes in zip(shape, placement, strict=True))

    def divides(self, size: int, axes: Sequence[int], *, may_pad: bool) -> bool:
        """Whether a dimension of `size` elements may be divided by `axes`; with padding only if that is little."""
        parts = self.parts(axes)
        if size % parts == 0:
            return True
        return may_pad and size > parts and -(-size // parts) * parts <= MOST_PADDED * size

    def sharding(self, placement: Placement, *, is_closed: bool = True) -> TensorShardingAttr:
        """The attribute of a placement."""
        return TensorShardingAttr(SymbolRefAttr(self.mesh), [self._dimension(axes, is_closed) for axes in placement])

    def _dimension(self, axes: Sequence[int], is_closed: bool) -> DimensionShardingAttr:
        merged: list[Span[str]] = []
        for axis in axes:
            append(merged, self.spans[axis])
        return DimensionShardingAttr([axis_ref(span, self.attribute) for span in merged], is_closed=is_closed)

    def placement(self, sharding: TensorShardingAttr | None, rank: int) -> Placement:
        """The placement of an attribute; axes of which a part is no axis here are left out."""
        if sharding is None:
            return whole(rank)
        return tuple(
            tuple(
                number
                for axis in dim.axes
                for number, span in enumerate(self.spans)
                if contains(span_of(axis, self.attribute), span)
            )
            for dim in sharding.dim_shardings
        )

    def assignments(self, sizes: Sequence[int], free: Sequence[int], may_pad: Sequence[bool]) -> list[Placement]:
        """
        Each axis for one of the `free` factors or for none, as far as it divides them; whole factors come first.

        `may_pad` says for each factor whether its parts may be padded.
        """
        found: list[Placement] = []
        for places in product((None, *free), repeat=len(self.spans)):
            axes = tuple(
                tuple(axis for axis, place in enumerate(places) if place == factor) for factor in range(len(sizes))
            )
            pairs = zip(sizes, axes, may_pad, strict=True)
            if all(self.divides(size, of_factor, may_pad=pads) for size, of_factor, pads in pairs):
                found.append(axes)
        return found
