"""
The kernel of a reduction: threads accumulate their elements, then warps and blocks combine the partial results.

Source: rows XGPU-07, XGPU-21, XGPU-22, XGPU-46.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Region, SSAValue

from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.emitters.analysis import Emission, behind_intermediates
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.entry import group_id
from xshardy.emitters.indices import Indices, apply_map, domain_checks, loop_over
from xshardy.emitters.kernel import Kernel, Values
from xshardy.emitters.memory_maps import map_through_memory, map_to_root
from xshardy.emitters.partition import RootGroup, Subgraph, roots_of
from xshardy.emitters.predicated import extract_if, insert_if
from xshardy.emitters.reduction.exchange import ByHero, Exchange, by_hero, lane, splat, with_lane
from xshardy.emitters.reduction.groups import ReductionGroup
from xshardy.emitters.reduction.tiling import SharedTile, Tiling
from xshardy.indexing.reduction_dimensions import kept_order
from xshardy.indexing.tensor_maps import bitcast_map, minor_to_major


def emit_reduction(computation: FuncOp, groups: Sequence[ReductionGroup], tiling: Tiling, entry_name: str) -> Emission:
    """The kernel of a computation whose results are in these groups, and its functions, in a new module."""
    return ReductionEmitter(computation, groups, tiling, entry_name).emit()


@dataclass(frozen=True, eq=False)
class GroupFunctions:
    """The functions of one group of results: inputs and initial values of the heroes, side outputs, and epilogues."""

    group: ReductionGroup
    inputs: Mapping[ReduceOp, Subgraph]
    inits: Mapping[ReduceOp, Subgraph]
    side_outputs: Mapping[int, Subgraph]
    epilogue: Subgraph | None
    """Computes the results from the reduced values."""


@dataclass(frozen=True, eq=False)
class Destination:
    """The indices of the results of a thread, and the conditions under which the thread holds them."""

    places: Sequence[Indices]
    checks: Sequence[SSAValue]


class ReductionEmitter:
    """Writes the entry function of a reduction."""

    def __init__(self, computation: FuncOp, groups: Sequence[ReductionGroup], tiling: Tiling, entry_name: str):
        self.tiling = tiling
        self.roots = roots_of(computation)
        self.read = next(hero.inputs[0] for group in groups for hero in group.heroes)
        root_groups = [root_group for group in groups for root_group in self._root_groups(group)]
        heroes = [hero for group in groups for hero in group.heroes]
        launch = replace(tiling.launch, groups=len(groups))
        self.kernel = Kernel(computation, root_groups, launch, entry_name, heroes=heroes)
        self.exchange = Exchange(self.kernel)
        self.ids = self.kernel.ids
        functions = iter(self.kernel.parts.subgraphs)
        self.groups = [
            GroupFunctions(
                group,
                {hero: next(functions) for hero in group.heroes},
                {hero: next(functions) for hero in group.heroes},
                {number: next(functions) for number in group.side_outputs},
                next(functions) if group.reduced else None,
            )
            for group in groups
        ]

    def _root_groups(self, group: ReductionGroup) -> Sequence[RootGroup]:
        """The functions of a group, in the order of the fields of `GroupFunctions`."""
        reduced = [result for hero in group.heroes for result in hero.results]
        return [
            *(RootGroup.same_indices(hero.inputs) for hero in group.heroes),
            *(RootGroup.same_indices(hero.init_values) for hero in group.heroes),
            *(RootGroup.same_indices([self.roots[number]]) for number in group.side_outputs),
            *([RootGroup.same_place([self.roots[i] for i in group.reduced], reduced)] if group.reduced else ()),
        ]

    def emit(self) -> Emission:
        s = self.kernel.s
        return self.exchange.module(
            self.emit_group(s, self.groups[0]) if len(self.groups) == 1 else self.emit_switch(s)
        )

    def emit_switch(self, s: Scalars) -> Values:
        """The code of all groups; each block of the grid runs one."""

        def region(functions: GroupFunctions) -> Region:
            block = Block()
            inner = Scalars.at_end(block)
            inner.builder.insert(scf.YieldOp(*self.emit_group(inner, functions)))
            return Region(block)

        default, *others = [region(functions) for functions in self.groups]
        types = [output.type for output in self.kernel.entry.outputs]
        cases = DenseArrayBase.from_list(i64, list(range(1, len(self.groups))))
        switch = scf.IndexSwitchOp(group_id(s, self.kernel.launch), cases, default, others, types)
        s.builder.insert(switch)
        return switch.results

    def emit_group(self, s: Scalars, functions: GroupFunctions) -> Values:
        """Emit one group of results; returns the updated outputs."""
        inits = {hero: self.kernel.call(s, function, ()) for hero, function in functions.inits.items()}
        outputs, reduced = self.accumulate(s, functions, inits)
        if functions.epilogue is None:
            return outputs
        reduced = self.exchange.shuffle(s, reduced, self.tiling.distance)
        if self.tiling.tile is None:
            return self.write_results(s, functions, reduced, outputs, self.destination(s, functions, ()))
        return self.reduce_in_block(s, functions, self.tiling.tile, inits, reduced, outputs)

    # -- Within a thread ----------------------------------------------------------------------------------------------

    def accumulate(self, s: Scalars, functions: GroupFunctions, inits: ByHero) -> tuple[Values, ByHero]:
        """
        The loop of a thread over its elements: returns the outputs and the accumulators of each hero.

        A thread that computes several adjacent results has vectors of accumulators.
        """
        size = self.tiling.vector_size
        outputs = self.kernel.entry.outputs
        starts = [splat(s, value, size) for hero in inits for value in inits[hero]]

        def body(inner: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
            written, accumulated = [*carried[: len(outputs)]], by_hero(inits, carried[len(outputs) :])
            updated: list[SSAValue] = []
            for hero, accumulators in accumulated.items():
                before = [lane(inner, value, ivs) for value in accumulators]
                at = apply_map(inner, bitcast_map(self.read, hero.inputs[0]), indices)
                elements = self.kernel.call(inner, functions.inputs[hero], at)
                after = self.kernel.combine(inner, hero, before, elements)
                updated += [with_lane(inner, *pair, ivs) for pair in zip(after, accumulators, strict=True)]
            for number, function in functions.side_outputs.items():
                at = apply_map(inner, bitcast_map(self.read, self.roots[number]), indices)
                (element,) = self.kernel.call(inner, function, at)
                written[number] = inner(tensor.InsertOp(element, written[number], at))
            return [*written, *updated]

        shape, order = shape_of(self.read), minor_to_major(self.read)
        map = map_through_memory(shape, order, self.tiling.input_shape, self.tiling.input)
        results = loop_over(s, map, self.ids, [*outputs, *starts], body)
        return results[: len(outputs)], by_hero(inits, results[len(outputs) :])

    # -- Between threads ----------------------------------------------------------------------------------------------

    def reduce_in_block(
        self, s: Scalars, functions: GroupFunctions, tile: SharedTile, inits: ByHero, reduced: ByHero, outputs: Values
    ) -> Values:
        """
        Write partial results to shared memory and let warps combine those of other warps; returns the updated outputs.
        """
        tiles = self.exchange.write_tiles(s, tile, [*chain(*reduced.values())])
        if tile.distance is None:

            def result(inner: Scalars) -> Values:
                combined = self.exchange.combine_elements(inner, tile.read, tiles, inits)
                return self.write_results(inner, functions, combined, outputs, self.destination(inner, functions, ()))

            return self.exchange.in_combining_warps(s, tile, result, outputs)

        def combine(inner: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
            # All threads of a warp take part in a shuffle; threads without an element contribute the init value.
            checks = domain_checks(inner, tile.read, [self.kernel.launch.threads], self.ids[:1])
            elements = [
                extract_if(inner, checks, shared, indices, init)
                for shared, init in zip(tiles, chain(*inits.values()), strict=True)
            ]
            to = self.destination(inner, functions, ivs)
            combined = self.exchange.shuffle(inner, by_hero(inits, elements), tile.distance)
            return self.write_results(inner, functions, combined, carried, to)

        def body(inner: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
            return self.exchange.in_combining_warps(inner, tile, lambda s: combine(s, ivs, indices, carried), carried)

        return self.exchange.for_each_thread(s, tile.read, outputs, body)

    # -- Results ------------------------------------------------------------------------------------------------------

    def destination(self, s: Scalars, functions: GroupFunctions, ivs: Indices) -> Destination:
        """The indices of the results made of reduced values, and whether the thread holds them, at `ivs`."""
        assert functions.epilogue is not None  # the group has a hero
        ids, maps = (
            [*self.ids, *ivs],
            [self.result_map(root).symbols_to_dimensions() for root in functions.epilogue.roots],
        )
        _, *others = self.tiling.output.symbols_to_dimensions().dimension_intervals
        sizes = [self.threads_with_results(), *(interval.size for interval in others)]
        return Destination([apply_map(s, map, ids) for map in maps], domain_checks(s, maps[0], sizes, ids))

    def threads_with_results(self) -> int:
        """The number of threads that run the code for results: whole warps, not only those that hold a result."""
        tile = self.tiling.tile
        combining = None if tile is None else tile.combining
        return self.kernel.launch.threads if combining is None else combining.dimension_intervals[0].size

    def write_results(
        self, s: Scalars, functions: GroupFunctions, reduced: ByHero, outputs: Values, to: Destination
    ) -> Values:
        """Write the results of a group; returns the updated outputs."""
        assert functions.epilogue is not None
        written = [*outputs]
        results = self.kernel.call(s, functions.epilogue, to.places[0], [*chain(*reduced.values())])
        for number, result, at in zip(functions.group.reduced, results, to.places, strict=True):
            written[number] = insert_if(s, to.checks, result, written[number], at)
        return written

    def result_map(self, root: SSAValue) -> IndexingMap:
        """The map from a thread, and the number of the element in its vector, to the indices of `root`."""
        result = [root, *behind_intermediates(root)][-1]
        assert isinstance(result.owner, ReduceOp)
        tiled, map = self.tiling.output_shape, self.tiling.output
        return map_to_root(root, result, map_through_memory(shape_of(result), kept_order(result.owner), tiled, map))
