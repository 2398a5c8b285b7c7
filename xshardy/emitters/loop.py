"""
The loop emitter: one loop over the output elements in memory order, so that writes are coalesced.

Source: rows XGPU-03, XGPU-31, XGPU-52.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import prod

from xdsl.dialects import tensor
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from xshardy.affine.expressions import add, constant, dim, floordiv, mod, mul, sym
from xshardy.affine.indexing_map import IndexingMap, Variable
from xshardy.affine.interval import Interval
from xshardy.dialects.shapes import shape_of
from xshardy.emitters.analysis import Choice, Emission, Fusion
from xshardy.emitters.elemental.kinds import element_type_of
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.grids import block_number
from xshardy.emitters.indices import Indices, LoopBody, apply_map, loop_over
from xshardy.emitters.kernel import Kernel, Values
from xshardy.emitters.launch_dimensions import MAX_UNROLL, LaunchDimensions, loop_launch_dimensions, unrolled_launch
from xshardy.emitters.partition import RootGroup, Subgraph, roots_of
from xshardy.emitters.pieces import with_pieces
from xshardy.emitters.wide_unroll import wide_unroll
from xshardy.gpus.devices import Device
from xshardy.indexing.tensor_maps import delinearized, minor_to_major


def choose_loop(fusion: Fusion) -> Choice:
    """The loop emitter, for any fusion."""
    reason = "no result has a hero for which there is a special emitter"
    launch = loop_launch(fusion.computation, fusion.device)
    if launch.unroll > MAX_UNROLL:
        reason += (
            f"; a thread makes {launch.unroll} elements at once, XLA's {MAX_UNROLL}, since little is computed for each"
        )
    if launch.pieces > 1:
        reason += f"; a thread makes {launch.pieces} vectors of elements, XLA's one, and computes its addresses once"
    return Choice("loop", None, reason, partial(emit_loop_fusion, fusion.computation, device=fusion.device))


def emit_loop_fusion(
    computation: FuncOp,
    entry_name: str,
    *,
    device: Device | None = None,
    starts_function: Callable[[Operation], bool] = lambda _: False,
) -> Emission:
    """
    The kernel of a computation, and its functions, in a new module. Results of different sizes are written by different
    loops.

    An operation for which `starts_function` holds gets a function of its own, as in `partition`.
    """
    roots = roots_of(computation)
    groups = by_size(roots)
    launch = loop_launch(computation, device or Device())
    places = [RootGroup.same_place([roots[i] for i in group]) for group in groups]
    kernel = Kernel(computation, places, launch, entry_name, starts_function=starts_function)
    outputs = list(kernel.entry.outputs)
    for numbers, group, function in zip(groups, places, kernel.parts.subgraphs, strict=False):

        def body(
            s: Scalars,
            ivs: Indices,
            indices: Indices,
            carried: Values,
            function: Subgraph = function,
            group: RootGroup = group,
        ) -> Values:
            elements = kernel.call(s, function, indices)
            return [
                s(tensor.InsertOp(element, output, apply_map(s, map, indices)))
                for element, output, map in zip(elements, carried, group.maps, strict=True)
            ]

        written = for_each_element(kernel, group.roots[0], body, [outputs[i] for i in numbers])
        for i, output in zip(numbers, written, strict=True):
            outputs[i] = output
    return kernel.module(outputs)


def by_size(roots: Sequence[SSAValue]) -> list[list[int]]:
    """The numbers of the results of each size; those with the most elements first."""
    sizes = [prod(shape_of(root)) for root in roots]
    return [[i for i, size in enumerate(sizes) if size == wanted] for wanted in sorted({*sizes}, reverse=True)]


def loop_launch(computation: FuncOp, device: Device) -> LaunchDimensions:
    """The launch dimensions of the loop over the largest results of a computation."""
    every, ops = roots_of(computation), computation.body.block.ops
    roots = [every[i] for i in by_size(every)[0]]
    shape, types = shape_of(roots[0]), [element_type_of(root.type) for root in roots]
    unroll = wide_unroll(roots, ops, device)
    usual = loop_launch_dimensions(shape, types, ops, device)
    return with_pieces(usual if unroll is None else unrolled_launch(prod(shape), unroll, device), roots, ops, device)


def for_each_element(kernel: Kernel, value: SSAValue, body: LoopBody, outputs: Values) -> Values:
    """`outputs` after a loop with `body` over the indices of the elements of `value` that a thread computes."""
    map = thread_to_element(value, kernel.launch, kernel.variables)
    return loop_over(kernel.s, map, kernel.ids, outputs, body)


def thread_to_element(output: SSAValue, launch: LaunchDimensions, ids: tuple[Variable, ...]) -> IndexingMap:
    """
    The map from thread and block ids, and the number of the element in the thread, to the indices of an element of
    `output`.

    Consecutive threads access consecutive memory. If the threads cover more elements than `output` has, a constraint
    excludes the excess.
    """
    shape = shape_of(output)
    block = block_number(launch)
    ranges = (Variable("vector_index", Interval.of_size(launch.unroll)),)
    if launch.pieces > 1:
        # The block that would compute this vector if each thread computed one.
        apart = constant(launch.apart)
        row = add(mul(floordiv(block, apart), constant(launch.pieces)), sym(0))
        block = add(mul(row, apart), mod(block, apart))
        ranges = (Variable("piece", Interval.of_size(launch.pieces)), *ranges)
    vector = add(mul(block, constant(launch.threads)), dim(0))
    linear = add(mul(vector, constant(launch.unroll)), sym(len(ranges) - 1))
    map = IndexingMap(delinearized(shape, minor_to_major(output), linear), ids, ranges)
    if not prod(shape):
        return map.nowhere()
    return map.constrained(linear, Interval.of_size(prod(shape))).simplify()
