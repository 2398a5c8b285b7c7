"""
Loops in which a thread computes two vectors of elements, some blocks apart, so that it computes its ids, addresses, and
what the rows have in common once for both.

XLA's threads compute one vector. The vectors of a thread are as far apart as a row or a multiple of it, or as the
elements of a block if rows are shorter: the minor index of both is the same. Both are loaded before either is needed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import prod

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from xshardy.dialects.hlo import BitcastOp
from xshardy.dialects.shapes import shape_of
from xshardy.emitters.launch_dimensions import MAX_UNROLL, LaunchDimensions
from xshardy.emitters.wide_unroll import is_cheap, minor_size
from xshardy.facts.cost import Amount, cost_of
from xshardy.gpus.devices import Device

PIECES = 2
MAX_OPERATIONS = 16
"""The maximal number of operations per element; with more, ids and addresses are a small part of the kernel."""
MAX_ELEMENTS = 16
"""The maximal number of elements of a thread: the code of each element is replicated."""


def with_pieces(
    launch: LaunchDimensions, roots: Sequence[SSAValue], ops: Iterable[Operation], device: Device
) -> LaunchDimensions:
    """
    `launch`, of a loop that computes `roots` by `ops`, with two vectors per thread and half of the blocks.

    Unchanged for much computation, for elements that do not divide among such blocks, and for too few threads, as in
    `wide_unroll`.
    """
    counted = [op for op in ops if not isinstance(op, ReturnOp | BitcastOp)]
    computed = [op for op in counted if cost_of(op).instructions is not Amount.NONE]
    if len(computed) > MAX_OPERATIONS or not all(map(is_quick, computed)):
        return launch
    elements, in_block = prod(shape_of(roots[0])), launch.threads * launch.unroll
    apart = max(1, minor_size(roots[0]) // in_block)
    blocks, rest = divmod(elements, in_block * PIECES)
    has_threads = blocks * launch.threads * MAX_UNROLL >= device.cores * device.threads_per_core
    if rest or blocks % apart or not has_threads or launch.unroll * PIECES > MAX_ELEMENTS or launch.blocks[1] > 1:
        return launch
    return replace(launch, blocks=(blocks, 1), pieces=PIECES, apart=apart)


def is_quick(op: Operation) -> bool:
    """Whether `op` takes few instructions per element."""
    return is_cheap(op) or cost_of(op).instructions is Amount.SOME
