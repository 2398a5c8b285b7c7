"""
The exchange of partial results of a reduction between the threads of a warp, by shuffles, and between the warps of a
block, through shared memory.

Source: rows XGPU-07, XGPU-46.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeAlias, cast

from xdsl.dialects import tensor, vector
from xdsl.dialects.builtin import TensorType, VectorType
from xdsl.ir import Attribute, SSAValue

from xshardy.affine.expressions import sym
from xshardy.affine.indexing_map import IndexingMap
from xshardy.affine.interval import Interval
from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.dialects.xla_gpu.ops import AllocateSharedOp, ShuffleReduceOp, SyncThreadsOp
from xshardy.emitters.analysis import Emission
from xshardy.emitters.applied_computations import ignore_signs_of_zeros
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices, LoopBody, apply_map, domain_checks, loop_over
from xshardy.emitters.kernel import Kernel, Values
from xshardy.emitters.predicated import insert_if, values_if
from xshardy.emitters.reduction.tiling import SharedTile

ByHero: TypeAlias = Mapping[ReduceOp, Values]
"""For each hero one scalar or vector per result of it."""


@dataclass(frozen=True, eq=False)
class Exchange:
    """Emits the steps of an exchange between the threads of `kernel`."""

    kernel: Kernel

    def module(self, updated: Values) -> Emission:
        """The kernel, which returns `updated`, with all functions."""
        emission = self.kernel.module(updated)
        ignore_signs_of_zeros(
            emission.module, {self.kernel.parts.applied[hero].root.name for hero in self.kernel.heroes}
        )
        return emission

    def shuffle(self, s: Scalars, values: ByHero, distance: int | None, *, to_all: bool = False) -> ByHero:
        """
        Combine the values of each hero with those of other threads of the warp, by shuffles at `distance`, `distance /
        2`, ... No shuffles at None or 0. One thread of each group holds the result, or all if `to_all`.
        """
        if not distance:
            return values
        combined: dict[ReduceOp, Values] = {}
        for hero, own in values.items():
            shuffle = ShuffleReduceOp(own, self.kernel.parts.applied[hero].root.name, distance, to_all)
            s.builder.insert(shuffle)
            combined[hero] = shuffle.results
        return combined

    def in_combining_warps(
        self, s: Scalars, tile: SharedTile, values: Callable[[Scalars], Values], otherwise: Values
    ) -> Values:
        """The results of `values` in the warps that combine the elements of `tile`, `otherwise` in others."""
        threads = [self.kernel.launch.threads]
        checks = [] if tile.combining is None else domain_checks(s, tile.combining, threads, self.kernel.ids[:1])
        return values_if(s, checks, values, otherwise)

    def combine_elements(self, s: Scalars, read_at: IndexingMap, tiles: Values, inits: ByHero) -> ByHero:
        """All elements of the tiles that the thread reads, combined. The first one is read before the loop."""
        types = [cast(TensorType[Attribute], shared.type).element_type for shared in tiles]

        def read(inner: Scalars, indices: Indices) -> Values:
            return [inner(tensor.ExtractOp(tile, indices, type)) for tile, type in zip(tiles, types, strict=True)]

        def body(inner: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
            before, elements = by_hero(inits, carried), by_hero(inits, read(inner, indices))
            return [*chain(*(self.kernel.combine(inner, hero, before[hero], elements[hero]) for hero in inits))]

        map = self.everywhere(read_at)
        (parts,) = map.symbol_intervals
        first = read(s, apply_map(s, map.bind({}, {0: parts.lower}), self.kernel.ids[:1]))
        others = map.constrained(sym(0), Interval(parts.lower + 1, parts.upper))
        return by_hero(inits, loop_over(s, others, self.kernel.ids[:1], first, body))

    def write_tiles(self, s: Scalars, tile: SharedTile, values: Values) -> Values:
        """Shared tiles filled with `values`, a scalar or a vector per thread and tile, followed by a barrier."""
        types = [TensorType(element_type(value), tile.shape) for value in values]
        tiles = [s(AllocateSharedOp(type)) for type in types]

        def body(inner: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
            checks = domain_checks(inner, tile.write, [self.kernel.launch.threads], self.kernel.ids[:1])
            return [
                insert_if(inner, checks, lane(inner, value, ivs), shared, indices)
                for value, shared in zip(values, carried, strict=True)
            ]

        synced = SyncThreadsOp(self.for_each_thread(s, tile.write, tiles, body))
        s.builder.insert(synced)
        return synced.results

    def for_each_thread(self, s: Scalars, map: IndexingMap, inits: Values, body: LoopBody) -> Values:
        """
        `body` at the results of `map` for the thread, also outside of the domain of `map`.

        It is in a loop if the map has range variables.
        """
        map = self.everywhere(map)
        if map.ranges:
            return loop_over(s, map, self.kernel.ids[:1], inits, body)
        return body(s, (), apply_map(s, map, self.kernel.ids[:1]), inits)

    def everywhere(self, map: IndexingMap) -> IndexingMap:
        """`map`, from the thread of a block, with all threads in its domain."""
        threads = replace(map.dimensions[0], bounds=Interval.of_size(self.kernel.launch.threads))
        return replace(map, dimensions=(threads,), constraints=())


def by_hero(heroes: ByHero, values: Values) -> ByHero:
    """Group `values`, a flat sequence, by hero."""
    remaining = iter(values)
    return {hero: [next(remaining) for _ in heroes[hero]] for hero in heroes}


def element_type(value: SSAValue) -> Attribute:
    """The element type of a vector; a scalar type unchanged."""
    type = value.type
    return cast(VectorType[Attribute], type).element_type if isinstance(type, VectorType) else type


def splat(s: Scalars, value: SSAValue, size: int) -> SSAValue:
    """A vector of so many elements, all `value`; a single one is a scalar."""
    return value if size == 1 else s(vector.BroadcastOp(value, VectorType(value.type, [size])))


def lane(s: Scalars, value: SSAValue, ivs: Indices) -> SSAValue:
    """The element of a vector at the innermost induction variable; a scalar unchanged."""
    if not isinstance(value.type, VectorType):
        return value
    return s(vector.ExtractOp(value, [ivs[-1]], element_type(value)))


def with_lane(s: Scalars, element: SSAValue, value: SSAValue, ivs: Indices) -> SSAValue:
    """`value` with the element at the innermost induction variable replaced."""
    return s(vector.InsertOp(element, value, [ivs[-1]])) if isinstance(value.type, VectorType) else element
