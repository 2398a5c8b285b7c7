"""
The concatenate emitter: one loop per operand, so that all threads of a warp read the same operand.

Source: rows XGPU-04, XGPU-46; XLA:GPU's concatenate emitter.
"""

from functools import partial
from math import prod

from xdsl.dialects import tensor
from xdsl.ir import Operation

from xshardy.affine.expressions import add, constant
from xshardy.affine.indexing_map import IndexingMap
from xshardy.affine.interval import Interval
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.shape import ConcatenateOp
from xshardy.emitters.analysis import Choice, Emission, Fusion, elements_in
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices, apply_map, loop_over
from xshardy.emitters.kernel import Kernel, Values
from xshardy.emitters.loop import thread_to_element
from xshardy.emitters.memory_maps import map_to_root
from xshardy.emitters.partition import RootGroup, Subgraph

MAX_OPERANDS = 4
"""The code grows with the number of operands, and large code lowers the occupancy."""


def choose_concatenate(fusion: Fusion) -> Choice | None:
    """The concatenate emitter, if the fusion has one result, computed from a concatenation of few operands."""
    root, *others = fusion.roots
    if others:
        return None
    hero = fusion.only_hero(root, _is_concatenation)
    if not isinstance(hero, ConcatenateOp) or not elements_in(hero.result):
        return None
    if (count := len(hero.inputs)) > MAX_OPERANDS:
        return fusion.because("concatenate", f"it concatenates {count} tensors, more than {MAX_OPERANDS}")
    reason = f"it concatenates {len(hero.inputs)} tensors along dimension {hero.dimension.value.data}"
    return Choice("concatenate", hero, reason, partial(emit_concatenate, fusion, hero))


def emit_concatenate(fusion: Fusion, hero: ConcatenateOp, entry_name: str) -> Emission:
    """The kernel of a fusion whose result is computed from `hero`, and its functions, in a new module."""
    (root,), axis = fusion.roots, hero.dimension.value.data
    largest = max(hero.inputs, key=elements_in)
    launch = fusion.loop_launch(largest, [root])
    groups = [RootGroup.same_indices([operand]) for operand in hero.inputs]
    groups.append(RootGroup.same_place([root], [hero.result]))
    kernel = Kernel(fusion.computation, groups, launch, entry_name)
    *operands, epilogue = kernel.parts.subgraphs[: len(groups)]
    everywhere = thread_to_element(largest, launch, kernel.variables)
    outputs: Values = kernel.entry.outputs
    start = 0
    for operand, function in zip(hero.inputs, operands, strict=True):
        size = shape_of(operand)[axis]
        if not prod(shape_of(operand)):
            continue
        map = everywhere.constrained(everywhere.results[axis], Interval.of_size(size)).simplify()
        moved = [add(index, constant(start)) if d == axis else index for d, index in enumerate(map.results)]
        place = map_to_root(root, hero.result, map.with_results(moved))

        outputs = _write_operand(kernel, function, epilogue, map, place, outputs)
        start += size
    return kernel.module(outputs)


def _write_operand(
    kernel: Kernel, operand: Subgraph, epilogue: Subgraph, map: IndexingMap, place: IndexingMap, outputs: Values
) -> Values:
    """
    Write the results computed from one operand; return the outputs. `map` gives its indices, `place` those of the
    result.
    """

    def body(s: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
        at = apply_map(s, place, kernel.ids, ivs)
        (result,) = kernel.call(s, epilogue, at, kernel.call(s, operand, indices))
        return [s(tensor.InsertOp(result, carried[0], at))]

    return loop_over(kernel.s, map, kernel.ids, outputs, body)


def _is_concatenation(op: Operation) -> bool:
    return isinstance(op, ConcatenateOp)
