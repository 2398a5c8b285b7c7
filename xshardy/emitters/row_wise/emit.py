"""
The kernel of a row-wise computation: the threads of a row reduce it in steps, and then write its results.

After each step all threads of a row hold its reduced values. Source: rows XGPU-07, XGPU-21, XGPU-22.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import cast

from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.emitters.analysis import Emission, elements_in
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices, apply_map, loop_over
from xshardy.emitters.kernel import Kernel, Values
from xshardy.emitters.memory_maps import map_through_memory
from xshardy.emitters.partition import RootGroup, roots_of
from xshardy.emitters.reduction.exchange import ByHero, Exchange, by_hero
from xshardy.emitters.reduction.tiling import Tiling
from xshardy.indexing.tensor_maps import bitcast_map, minor_to_major

Steps = Sequence[Sequence[ReduceOp]]
"""Reductions of rows; those of a step depend on the results of earlier steps only."""


def emit_row_wise(computation: FuncOp, steps: Steps, tiling: Tiling, entry_name: str) -> Emission:
    """The kernel of a computation that reduces rows in these steps, and its functions, in a new module."""
    return RowWiseEmitter(computation, steps, tiling, entry_name).emit()


class RowWiseEmitter:
    """Writes the entry function of a row-wise computation."""

    def __init__(self, computation: FuncOp, steps: Steps, tiling: Tiling, entry_name: str):
        self.tiling, self.steps = tiling, steps
        heroes = [*chain(*steps)]
        roots = roots_of(computation)
        is_per_row = [elements_in(root) == tiling.output_shape[0] for root in roots]
        self.results = {
            map: numbers
            for map, wanted in ((tiling.input, False), (tiling.output, True))
            if (numbers := [number for number, per_row in enumerate(is_per_row) if per_row == wanted])
        }
        groups = [
            *(RootGroup.same_indices(hero.inputs, self.before(step)) for step in steps for hero in step),
            *(RootGroup.same_indices(hero.init_values) for hero in heroes),
            *(
                RootGroup.same_place([roots[number] for number in numbers], _results(heroes))
                for numbers in self.results.values()
            ),
        ]
        self.kernel = Kernel(computation, groups, tiling.launch, entry_name, heroes=heroes)
        self.exchange = Exchange(self.kernel)
        functions = iter(self.kernel.parts.subgraphs)
        self.inputs = {hero: next(functions) for hero in heroes}
        self.inits = {hero: next(functions) for hero in heroes}
        self.epilogues = {map: next(functions) for map in self.results}

    def before(self, step: Sequence[ReduceOp]) -> Values:
        """The values reduced before `step`."""
        return _results(chain(*self.steps[: self.steps.index(step)]))

    def emit(self) -> Emission:
        s = self.kernel.s
        reduced: dict[ReduceOp, Values] = {}
        for step in self.steps:
            reduced.update(self.reduce(s, step, [*chain(*reduced.values())]))
        outputs = [*self.kernel.entry.outputs]
        for map, numbers in self.results.items():
            written = self.write(s, map, [outputs[number] for number in numbers], [*chain(*reduced.values())])
            for number, output in zip(numbers, written, strict=True):
                outputs[number] = output
        return self.exchange.module(outputs)

    def reduce(self, s: Scalars, step: Sequence[ReduceOp], before: Values) -> ByHero:
        """The values that `step` reduces, the same for all threads of a row; `before` are those of earlier steps."""
        inits = {hero: self.kernel.call(s, self.inits[hero], ()) for hero in step}
        partial = self.exchange.shuffle(
            s, self.accumulate(s, inits, before), self.tiling.distance, to_all=self.tiling.tile is None
        )
        if self.tiling.tile is None:
            return partial
        tiles = self.exchange.write_tiles(s, self.tiling.tile, [*chain(*partial.values())])
        at = apply_map(s, self.tiling.tile.read, self.kernel.ids[:1])
        types = [cast(TensorType[Attribute], tile.type).element_type for tile in tiles]
        elements = [s(tensor.ExtractOp(tile, at, type)) for tile, type in zip(tiles, types, strict=True)]
        return self.exchange.shuffle(s, by_hero(inits, elements), self.tiling.tile.distance, to_all=True)

    def accumulate(self, s: Scalars, inits: ByHero, before: Values) -> ByHero:
        """The values that a thread reduces by itself."""
        read = next(iter(inits)).inputs[0]

        def body(inner: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
            after: list[SSAValue] = []
            for hero, accumulators in by_hero(inits, carried).items():
                at = apply_map(inner, bitcast_map(read, hero.inputs[0]), indices)
                elements = self.kernel.call(inner, self.inputs[hero], at, before)
                after += self.kernel.combine(inner, hero, accumulators, elements)
            return after

        map = self.map_to(read, self.tiling.input)
        return by_hero(inits, loop_over(s, map, self.kernel.ids, [*chain(*inits.values())], body))

    def write(self, s: Scalars, map: IndexingMap, outputs: Values, reduced: Values) -> Values:
        """Write the results whose elements a thread holds by `map`; returns the updated outputs."""
        epilogue = self.epilogues[map]

        def body(inner: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
            elements = self.kernel.call(inner, epilogue, indices, reduced)
            return [
                inner(tensor.InsertOp(element, output, apply_map(inner, root_map, indices)))
                for element, output, root_map in zip(elements, carried, epilogue.root_maps, strict=True)
            ]

        return loop_over(s, self.map_to(epilogue.roots[0], map), self.kernel.ids, outputs, body)

    def map_to(self, value: SSAValue, map: IndexingMap) -> IndexingMap:
        """`map`, to the input or the output of the tiling, followed by the map to the same place of `value`."""
        tiled = self.tiling.input_shape if map is self.tiling.input else self.tiling.output_shape
        return map_through_memory(shape_of(value), minor_to_major(value), tiled, map)


def _results(heroes: Iterable[ReduceOp]) -> list[SSAValue]:
    return [result for hero in heroes for result in hero.results]
