"""
The kernel of a transposition: each block writes a tile to shared memory, waits, and reads it the other way.

Source: rows XGPU-09, XGPU-21, XGPU-40.
"""

from collections.abc import Mapping

from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from xshardy.dialects.xla_gpu.ops import AllocateSharedOp, SyncThreadsOp
from xshardy.emitters.elemental.kinds import element_type_of, emitted_type
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices, apply_map, loop_over
from xshardy.emitters.kernel import Kernel, Values
from xshardy.emitters.partition import RootGroup, roots_of
from xshardy.emitters.places import carried_to, in_memory_of
from xshardy.emitters.transpose.tiling import TransposeTiling
from xshardy.indexing.indexing_map import IndexingMap
from xshardy.indexing.tensor_maps import bitcast_map, minor_to_major, shape_of


def emit_transpose(
    computation: FuncOp, heroes: Mapping[int, Operation], tiling: TransposeTiling, entry_name: str
) -> ModuleOp:
    """
    The kernel of a computation, and the functions it calls, in a new module.

    `heroes` are the transpositions that results are made of, by the number of the result; the other results are written
    where the inputs of the heroes are read.
    """
    roots = roots_of(computation)
    transposes = list(dict.fromkeys(heroes.values()))
    sides = [number for number in range(len(roots)) if number not in heroes]
    moved = [hero.results[0] for hero in transposes]
    kernel = Kernel(
        computation,
        [
            *(RootGroup.same_indices(hero.operands) for hero in transposes),
            *(RootGroup.same_indices([roots[number]]) for number in sides),
            RootGroup.same_place([roots[number] for number in heroes], moved),
        ],
        tiling.launch,
        entry_name,
    )
    functions = iter(kernel.parts.subgraphs)
    operands = [next(functions) for _ in transposes]
    side_outputs = [next(functions) for _ in sides]
    epilogue = next(functions)
    first = transposes[0].operands[0]

    def write(s: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
        """An element of the input of each hero to its tile, and side outputs there."""
        updated = [*carried]
        at = apply_map(s, tiling.write, kernel.ids, ivs)
        for i, (hero, function) in enumerate(zip(transposes, operands, strict=True)):
            (element,) = kernel.call(s, function, apply_map(s, bitcast_map(first, hero.operands[0]), indices))
            updated[len(outputs) + i] = s(tensor.InsertOp(element, updated[len(outputs) + i], at))
        for number, function in zip(sides, side_outputs, strict=True):
            place = apply_map(s, bitcast_map(first, roots[number]), indices)
            (element,) = kernel.call(s, function, place)
            updated[number] = s(tensor.InsertOp(element, updated[number], place))
        return updated

    places = [_place_of(roots[number], hero, tiling) for number, hero in heroes.items()]

    def read(s: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
        """The results of an element of each tile."""
        updated = [*carried]
        at = apply_map(s, tiling.read, kernel.ids, ivs)
        elements = [s(tensor.ExtractOp(tile, at, type.element_type)) for tile, type in zip(tiles, types, strict=True)]
        results = kernel.call(s, epilogue, indices, elements)
        for number, place, result in zip(heroes, places, results, strict=True):
            at = indices if place is places[0] else apply_map(s, place, kernel.ids, ivs)
            updated[number] = s(tensor.InsertOp(result, updated[number], at))
        return updated

    s, outputs = kernel.s, kernel.entry.outputs
    types = [TensorType(emitted_type(element_type_of(value.type)), tiling.tile) for value in moved]
    allocated = [s(AllocateSharedOp(type)) for type in types]
    map = in_memory_of(shape_of(first), minor_to_major(first), tiling.moved.shape, tiling.input)
    written = loop_over(s, map, kernel.ids, [*outputs, *allocated], write)
    synced = SyncThreadsOp(written[len(outputs) :])
    s.builder.insert(synced)
    tiles = synced.results
    return kernel.module(loop_over(s, places[0], kernel.ids, written[: len(outputs)], read))


def _place_of(root: SSAValue, hero: Operation, tiling: TransposeTiling) -> IndexingMap:
    """From a thread and its steps to the indices of `root` that it writes."""
    result = hero.results[0]
    map = in_memory_of(shape_of(result), minor_to_major(result), tiling.moved.result_shape, tiling.output)
    return carried_to(root, result, map)
