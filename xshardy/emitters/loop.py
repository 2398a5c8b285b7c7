"""
The loop emitter: one loop over the elements of the output, in the order of the memory, so that writes are coalesced.

Source: rows XGPU-03, XGPU-31, XGPU-52.
"""

from collections.abc import Callable
from math import prod

from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from xshardy.dialects.xla_gpu.ops import LoopOp, YieldOp
from xshardy.emitters.elemental.kinds import element_type_of
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.entry import Entry, block_ids, make_entry, thread_id, verify_outputs
from xshardy.emitters.grids import block_number
from xshardy.emitters.indices import apply_map
from xshardy.emitters.launch_dimensions import LaunchDimensions, loop_launch_dimensions
from xshardy.emitters.partition import Partition, partition
from xshardy.emitters.subgraph import emit_subgraphs
from xshardy.indexing.affine import add, constant, dim, mul, sym
from xshardy.indexing.indexing_map import IndexingMap, Variable
from xshardy.indexing.interval import Interval
from xshardy.indexing.operations import delinearized, minor_to_major, shape_of


def emit_loop_fusion(
    computation: FuncOp, entry_name: str, starts_function: Callable[[Operation], bool] = lambda _: False
) -> ModuleOp:
    """
    The kernel of a computation, and the functions it calls, in a new module.

    An operation for which `starts_function` holds gets a function of its own, as in `partition`.
    """
    parts = partition(computation, starts_function)
    roots = parts.root.roots
    launch = loop_launch_dimensions(parts.root.shape, [element_type_of(root.type) for root in roots], parts.subgraph_of)
    entry = make_entry(entry_name, computation.body.block.args, roots, launch)
    s = Scalars.at_end(entry.function.body.block)
    updated = emit_loop(s, parts, entry, launch)
    s.builder.insert(ReturnOp(*updated))
    verify_outputs(entry)
    return ModuleOp([entry.function, *(emit_subgraphs(parts) if prod(parts.root.shape) else ())])


def emit_loop(s: Scalars, parts: Partition, entry: Entry, launch: LaunchDimensions) -> tuple[SSAValue, ...]:
    """
    The loop over the elements of one thread: it calls the function of the roots, and inserts what that gives.

    Gives the outputs after the loop. Without elements there is no loop, and no call.
    """
    root = parts.root
    if not prod(root.shape):
        return tuple(entry.outputs)
    ids = [thread_id(s, launch), *block_ids(s, launch)]
    map = thread_to_element(root.roots[0], launch, tuple(variable for _, variable in ids))
    loop = LoopOp([value for value, _ in ids], map, entry.outputs)
    s.builder.insert(loop)
    body = Scalars.at_end(loop.body.block)
    call = root.call(entry.inputs, loop.map_results)
    body(call)
    updated = [
        body(tensor.InsertOp(element, output, apply_map(body, root_map, loop.map_results)))
        for element, output, root_map in zip(call.results, loop.iter_args, root.root_maps, strict=True)
    ]
    body.builder.insert(YieldOp(*updated))
    return tuple(loop.results)


def thread_to_element(output: SSAValue, launch: LaunchDimensions, ids: tuple[Variable, ...]) -> IndexingMap:
    """
    From thread and block ids, and the number of the element in the thread, to the indices of an element of `output`.

    Neighbouring threads have neighbouring pieces of memory. Where the threads make more elements than there are, the
    map is constrained to those that there are.
    """
    shape = shape_of(output)
    piece = add(mul(block_number(launch), constant(launch.threads)), dim(0))
    linear = add(mul(piece, constant(launch.unroll)), sym(0))
    elements = Interval.of_size(prod(shape))
    map = IndexingMap(
        delinearized(shape, minor_to_major(output), linear),
        ids,
        (Variable("vector_index", Interval.of_size(launch.unroll)),),
    )
    return map.constrained(linear, elements).simplify()
