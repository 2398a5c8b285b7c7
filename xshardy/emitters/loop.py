"""
The loop emitter: one loop over the output elements in memory order, so that writes are coalesced.

Source: rows XGPU-03, XGPU-31, XGPU-52.
"""

from collections.abc import Callable
from functools import partial
from math import prod

from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from xshardy.affine.expressions import add, constant, dim, mul, sym
from xshardy.affine.indexing_map import IndexingMap, Variable
from xshardy.affine.interval import Interval
from xshardy.dialects.shapes import shape_of
from xshardy.emitters.analysis import Choice, Fusion
from xshardy.emitters.elemental.kinds import element_type_of
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.grids import block_number
from xshardy.emitters.indices import Indices, LoopBody, apply_map, loop_over
from xshardy.emitters.kernel import Kernel, Values
from xshardy.emitters.launch_dimensions import (
    MAX_UNROLL,
    Device,
    LaunchDimensions,
    loop_launch_dimensions,
    unrolled_launch,
)
from xshardy.emitters.partition import RootGroup, roots_of
from xshardy.emitters.wide_unroll import wide_unroll
from xshardy.indexing.operations import delinearized, minor_to_major


def choose_loop(fusion: Fusion) -> Choice:
    """The loop emitter, for any fusion."""
    reason = "no result has a hero for which there is a special emitter"
    if (unroll := loop_launch(fusion.computation, fusion.device).unroll) > MAX_UNROLL:
        reason += f"; a thread makes {unroll} elements at once, XLA's {MAX_UNROLL}, since little is computed for each"
    return Choice("loop", None, reason, partial(emit_loop_fusion, fusion.computation, device=fusion.device))


def emit_loop_fusion(
    computation: FuncOp,
    entry_name: str,
    *,
    device: Device | None = None,
    starts_function: Callable[[Operation], bool] = lambda _: False,
) -> ModuleOp:
    """
    The kernel of a computation, and its functions, in a new module.

    An operation for which `starts_function` holds gets a function of its own, as in `partition`.
    """
    group = RootGroup.all_results(computation)
    first, launch = group.roots[0], loop_launch(computation, device or Device())
    kernel = Kernel(computation, [group], launch, entry_name, starts_function=starts_function)

    def body(s: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
        elements = kernel.call(s, kernel.parts.root, indices)
        return [
            s(tensor.InsertOp(element, output, apply_map(s, map, indices)))
            for element, output, map in zip(elements, carried, group.maps, strict=True)
        ]

    return kernel.module(for_each_element(kernel, first, body))


def loop_launch(computation: FuncOp, device: Device) -> LaunchDimensions:
    """The launch dimensions of the loop over the results of a computation."""
    roots, ops = roots_of(computation), computation.body.block.ops
    shape, types = shape_of(roots[0]), [element_type_of(root.type) for root in roots]
    if (unroll := wide_unroll(roots, ops, device)) is not None:
        return unrolled_launch(prod(shape), unroll, device)
    return loop_launch_dimensions(shape, types, ops, device)


def for_each_element(kernel: Kernel, value: SSAValue, body: LoopBody) -> Values:
    """
    The outputs of `kernel` after a loop with `body` over the indices of the elements of `value` that a thread computes.
    """
    return loop_over(
        kernel.s, thread_to_element(value, kernel.launch, kernel.variables), kernel.ids, kernel.entry.outputs, body
    )


def thread_to_element(output: SSAValue, launch: LaunchDimensions, ids: tuple[Variable, ...]) -> IndexingMap:
    """
    The map from thread and block ids, and the number of the element in the thread, to the indices of an element of
    `output`.

    Consecutive threads access consecutive memory. If the threads cover more elements than `output` has, a constraint
    excludes the excess.
    """
    shape = shape_of(output)
    piece = add(mul(block_number(launch), constant(launch.threads)), dim(0))
    linear = add(mul(piece, constant(launch.unroll)), sym(0))
    map = IndexingMap(
        delinearized(shape, minor_to_major(output), linear),
        ids,
        (Variable("vector_index", Interval.of_size(launch.unroll)),),
    )
    if not prod(shape):
        return map.nowhere()
    return map.constrained(linear, Interval.of_size(prod(shape))).simplify()
