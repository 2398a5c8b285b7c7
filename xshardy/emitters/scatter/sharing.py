"""
How the slices of a scatter with sorted index vectors are shared by threads, if that is worth it.

Source: XLA:GPU's scatter emitter, whose launches these are, where a slice fills a warp and no more than its registers.
"""

from dataclasses import dataclass
from math import gcd, prod

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.scatter import ScatterOp
from xshardy.dialects.stablehlo.types import bit_width
from xshardy.emitters.elemental.kinds import Kind, element_type_of, kind_of
from xshardy.emitters.grids import ceil_div, round_up
from xshardy.emitters.launch_dimensions import WARPS_PER_BLOCK, Device, LaunchDimensions, grid_of
from xshardy.emitters.scatter.kernel import ScatterFusion

ACCESS_BITS = 128
"""The widest load of a thread."""

MAX_ACCUMULATED_BITS = 256
"""What a thread keeps in registers: longer slices are for more threads."""


ASSOCIATIVE = frozenset(
    {
        stablehlo.AddOp,
        stablehlo.AndOp,
        stablehlo.MaxOp,
        stablehlo.MinOp,
        stablehlo.MulOp,
        stablehlo.OrOp,
        stablehlo.XorOp,
    }
)
"""What may be done to updates before the element of the operand takes part, up to rounding."""


def is_associative(op: ScatterOp) -> bool:
    """
    Whether `f(f(x, a), b)` is `f(x, f(a, b))` for what `op` combines elements by: one of a few, or the last one.

    It may compute with wider floats than the elements are.
    """
    block = op.update_computation.block
    last = block.last_op
    assert last is not None
    combined = _behind_widening(last.operands[0])
    if combined is block.args[1]:
        return True
    match combined.owner:
        case Operation(operands=operands) as operation if type(operation) in ASSOCIATIVE:
            return {_behind_widening(operand) for operand in operands} == set(block.args)
        case _:
            return False


def _behind_widening(value: SSAValue) -> SSAValue:
    """The float that `value` is with more or less digits; `value` itself if it was not converted."""
    conversion = value.owner
    if not isinstance(conversion, stablehlo.ConvertOp):
        return value
    types = [element_type_of(of.type) for of in (conversion.operand, conversion.result)]
    return conversion.operand if all(kind_of(type) is Kind.FLOAT for type in types) else value


@dataclass(frozen=True, slots=True)
class Runs:
    """
    How slices are shared: `lanes` threads take `slices` neighbouring ones, of which they read `vector_slices` at once.

    Of each a thread takes `vector` neighbouring elements in each of `steps`. Counts of lanes are powers of two.
    """

    lanes: int
    slices: int
    vector_slices: int
    steps: int
    vector: int
    launch: LaunchDimensions


def runs_of(scatter: ScatterFusion) -> Runs | None:
    """
    How to combine updates with equal index vectors; None if that is not possible, or not worth it.

    It is not for few slices, or if there are so many places for them that equal ones are unlikely.
    """
    op, slices, device = scatter.op, scatter.slices, scatter.fusion.device
    is_sorted = bool(op.indices_are_sorted and op.indices_are_sorted.value.data)
    element = element_type_of(op.inputs[0].type)
    if not is_sorted or scatter.is_unique or slices.batch_of or not is_associative(op) or not _fits_vectors(element):
        return None
    size = prod(slices.window)
    if not size or not slices.count or not slices.possible_starts:
        return None
    vector = _vector(size, ACCESS_BITS // _width(element), device) if slices.are_contiguous else 1
    lanes = _lanes(size, vector, MAX_ACCUMULATED_BITS // _width(element), device)
    groups = max(WARPS_PER_BLOCK * device.cores * device.threads_per_warp // lanes, 1)
    count = ceil_div(slices.count, max(groups, slices.possible_starts))
    if count == 1:
        return None
    at_once = ACCESS_BITS // bit_width(element_type_of(op.scatter_indices.type))
    if len(slices.started) != 1 or count <= at_once:
        at_once = 1
    count = round_up(count, at_once)
    threads = WARPS_PER_BLOCK * device.threads_per_warp
    blocks = ceil_div(ceil_div(slices.count, count) * lanes, threads)
    launch = LaunchDimensions(threads, grid_of(blocks, device))
    return Runs(lanes, count, at_once, ceil_div(size, lanes * vector), vector, launch)


def _fits_vectors(element: Attribute) -> bool:
    """Whether a register can hold several of these elements, each of which can be written alone."""
    return kind_of(element) is not Kind.COMPLEX and (element == i1 or bit_width(element) >= 8)


def _width(element: Attribute) -> int:
    """Bits in memory."""
    return max(bit_width(element), 8)


def _vector(size: int, most: int, device: Device) -> int:
    """
    How many elements of a slice of this size a thread takes at once: a divisor.

    As many as can be, if a slice does not fill a warp. Otherwise no thread of a warp should be left without any.
    """
    vector = gcd(size, most)
    if size < device.threads_per_warp:
        return vector
    while vector > 1 and vector * device.threads_per_warp > size:
        vector //= 2
    return vector


def _lanes(size: int, vector: int, most: int, device: Device) -> int:
    """How many threads share a slice: a part of a warp, or as many warps as it takes to keep `most` elements each."""
    lanes = _power_of_two(ceil_div(size, vector))
    if lanes <= device.threads_per_warp:
        return lanes
    return max(device.threads_per_warp, _power_of_two(ceil_div(size, vector * (most // vector))))


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()
