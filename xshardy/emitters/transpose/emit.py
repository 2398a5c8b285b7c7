"""
The kernel of a transposition: each block writes a tile to shared memory, synchronizes, and reads it transposed.

Source: rows XGPU-09, XGPU-21, XGPU-40.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.xla_gpu.ops import AllocateSharedOp, SyncThreadsOp
from xshardy.emitters.analysis import Emission
from xshardy.emitters.elemental.kinds import element_type_of, emitted_type
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices, apply_map, loop_over
from xshardy.emitters.kernel import Kernel, Values
from xshardy.emitters.memory_maps import map_through_memory, map_to_root
from xshardy.emitters.partition import RootGroup, Subgraph, roots_of
from xshardy.emitters.transpose.squares import element_of, read_square, square_and_elements
from xshardy.emitters.transpose.tiling import TransposeTiling
from xshardy.indexing.tensor_maps import bitcast_map, minor_to_major


def emit_transpose(
    computation: FuncOp, heroes: Mapping[int, Operation], tiling: TransposeTiling, entry_name: str
) -> Emission:
    """
    The kernel of a computation, and its functions, in a new module.

    `heroes` are the transpositions behind results, by the number of the result. The other results are side outputs,
    written where the inputs of the heroes are read.
    """
    roots = roots_of(computation)
    transposes = list(dict.fromkeys(heroes.values()))
    sides = [number for number in range(len(roots)) if number not in heroes]
    moved = [hero.results[0] for hero in transposes]
    # A value that is both moved and a result has one function; two calls with equal arguments become one.
    sources = list(dict.fromkeys([*(hero.operands[0] for hero in transposes), *(roots[number] for number in sides)]))
    kernel = Kernel(
        computation,
        [
            *(RootGroup.same_indices([source]) for source in sources),
            RootGroup.same_place([roots[number] for number in heroes], moved),
        ],
        tiling.launch,
        entry_name,
    )
    made_by = dict(zip(sources, kernel.parts.subgraphs, strict=False))
    emission = TransposeEmission(
        kernel,
        heroes,
        tiling,
        operands={hero: made_by[hero.operands[0]] for hero in transposes},
        side_outputs={number: made_by[roots[number]] for number in sides},
        epilogue=kernel.parts.subgraphs[len(sources)],
    )
    outputs, tiles = emission.write_tiles()
    return kernel.module(emission.read_tiles(outputs, tiles))


@dataclass(frozen=True, eq=False)
class TransposeEmission:
    """A kernel under construction: the transpositions and the functions of the computation."""

    kernel: Kernel
    heroes: Mapping[int, Operation]
    """The transpositions behind results, by the number of the result."""
    tiling: TransposeTiling
    operands: Mapping[Operation, Subgraph]
    """Computes the input of each transposition."""
    side_outputs: Mapping[int, Subgraph]
    """Computes each side output."""
    epilogue: Subgraph
    """Computes the results from the elements of the transpositions."""

    @cached_property
    def first(self) -> Operation:
        """The first transposition; all have the same indices."""
        return next(iter(self.operands))

    # -- Into shared memory -------------------------------------------------------------------------------------------

    def write_tiles(self) -> tuple[Values, Values]:
        """
        Write the input of each transposition to a tile, and the side outputs; returns the updated outputs and the
        tiles.
        """
        s, outputs, source = self.kernel.s, self.kernel.entry.outputs, self.first.operands[0]
        types = [
            TensorType(emitted_type(element_type_of(hero.results[0].type)), self.tiling.tile) for hero in self.operands
        ]
        allocated = [s(AllocateSharedOp(type)) for type in types]

        def write(inner: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
            updated: list[SSAValue] = []
            at = apply_map(inner, self.tiling.write, self.kernel.ids, ivs)
            for (hero, function), tile in zip(self.operands.items(), carried, strict=False):
                place = apply_map(inner, bitcast_map(source, hero.operands[0]), indices)
                (element,) = self.kernel.call(inner, function, place)
                updated.append(inner(tensor.InsertOp(element, tile, at)))
            for (number, function), output in zip(self.side_outputs.items(), carried[len(types) :], strict=True):
                place = apply_map(inner, bitcast_map(source, self.kernel.roots[number]), indices)
                (element,) = self.kernel.call(inner, function, place)
                updated.append(inner(tensor.InsertOp(element, output, place)))
            return updated

        map = map_through_memory(shape_of(source), minor_to_major(source), self.tiling.moved.shape, self.tiling.input)
        inits = [*allocated, *(outputs[number] for number in self.side_outputs)]
        written = loop_over(s, map, self.kernel.ids, inits, write)
        synced = SyncThreadsOp(written[: len(types)])
        s.builder.insert(synced)
        updated = dict(enumerate(outputs)) | dict(zip(self.side_outputs, written[len(types) :], strict=True))
        return [*updated.values()], synced.results

    # -- Out of shared memory -----------------------------------------------------------------------------------------

    def read_tiles(self, outputs: Values, tiles: Values) -> Values:
        """Write the results computed from the tiles; returns the updated outputs."""
        places = [self._result_map(number) for number in self.heroes]
        if self.tiling.square > 1:
            return self._read_squares(outputs, tiles, places)

        def read(s: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
            at = apply_map(s, self.tiling.read, self.kernel.ids, ivs)
            elements = [s(tensor.ExtractOp(tile, at, element_type_of(tile.type))) for tile in tiles]
            return self._write_results(s, places, ivs, indices, elements, carried)

        return loop_over(self.kernel.s, places[0], self.kernel.ids, outputs, read)

    def _read_squares(self, outputs: Values, tiles: Values, places: list[IndexingMap]) -> Values:
        """As `read_tiles`, for packed tiles: each square is read before a loop over its elements."""
        outer, inner = square_and_elements(places[0], self.tiling.read.results)

        def read(s: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
            squares = [read_square(s, tile, indices, self.tiling.square) for tile in tiles]

            def write(s: Scalars, numbers: Indices, indices: Indices, carried: Values) -> Values:
                elements = [element_of(s, square, numbers) for square in squares]
                return self._write_results(s, places, (*ivs, *numbers), indices, elements, carried)

            return loop_over(s, inner, (*self.kernel.ids, *ivs), carried, write)

        return loop_over(self.kernel.s, outer, self.kernel.ids, outputs, read)

    def _write_results(
        self, s: Scalars, places: list[IndexingMap], ivs: Indices, indices: Indices, elements: Values, carried: Values
    ) -> Values:
        """Write the results computed from one element of each tile; `indices` are those of the first result."""
        updated = [*carried]
        results = self.kernel.call(s, self.epilogue, indices, elements)
        for number, place, result in zip(self.heroes, places, results, strict=True):
            at = indices if place is places[0] else apply_map(s, place, self.kernel.ids, ivs)
            updated[number] = s(tensor.InsertOp(result, updated[number], at))
        return updated

    def _result_map(self, number: int) -> IndexingMap:
        """The map from a thread and its steps to the indices of result `number`."""
        value = self.heroes[number].results[0]
        map = map_through_memory(
            shape_of(value), minor_to_major(value), self.tiling.moved.result_shape, self.tiling.output
        )
        return map_to_root(self.kernel.roots[number], value, map)
