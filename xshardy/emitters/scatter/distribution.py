"""
The distribution of the slices of a scatter with sorted index vectors to threads, and whether that pays off.

Source: XLA:GPU's scatter emitter; the launches are the same if a slice fills a warp and fits its registers.
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
from xshardy.emitters.launch_dimensions import WARPS_PER_BLOCK, LaunchDimensions, grid_of
from xshardy.emitters.scatter.kernel import ScatterFusion
from xshardy.gpus.devices import Device

ACCESS_BITS = 128
"""The widest load of a thread, in bits."""

MAX_ACCUMULATED_BITS = 256
"""The registers of a thread for accumulators, in bits; longer slices get more threads."""


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
"""Operations that may combine updates before the element of the operand, up to rounding."""


def is_associative(op: ScatterOp) -> bool:
    """
    Whether `f(f(x, a), b)` equals `f(x, f(a, b))` for the combining computation `f` of `op`.

    Holds for the operations of `ASSOCIATIVE`, and for the computation that returns the update. `f` may compute in wider
    floats.
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
    """The source of a float conversion; `value` itself if it is not converted."""
    conversion = value.owner
    if not isinstance(conversion, stablehlo.ConvertOp):
        return value
    types = [element_type_of(of.type) for of in (conversion.operand, conversion.result)]
    return conversion.operand if all(kind_of(type) is Kind.FLOAT for type in types) else value


@dataclass(frozen=True, slots=True)
class Runs:
    """
    The distribution: `lanes` threads take `slices` consecutive slices and read `vector_slices` of them at once.

    In each of `steps`, a thread takes `vector` consecutive elements of each slice. Numbers of lanes are powers of two.
    """

    lanes: int
    slices: int
    vector_slices: int
    steps: int
    vector: int
    launch: LaunchDimensions


def runs_of(scatter: ScatterFusion) -> Runs | None:
    """
    The distribution that combines updates with equal index vectors; None if that is impossible or does not pay off.

    It does not pay off for few slices, or with so many possible index vectors that equal ones are unlikely.
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
    """Whether elements of this type can be packed in a register and written individually."""
    return kind_of(element) is not Kind.COMPLEX and (element == i1 or bit_width(element) >= 8)


def _width(element: Attribute) -> int:
    """The width in memory, in bits."""
    return max(bit_width(element), 8)


def _vector(size: int, most: int, device: Device) -> int:
    """
    The number of consecutive elements of a slice per access, a divisor of `size`.

    As large as possible if a slice does not fill a warp; otherwise limited so that every thread of the warp has
    elements.
    """
    vector = gcd(size, most)
    if size < device.threads_per_warp:
        return vector
    while vector > 1 and vector * device.threads_per_warp > size:
        vector //= 2
    return vector


def _lanes(size: int, vector: int, most: int, device: Device) -> int:
    """The number of threads per slice: a part of a warp, or enough warps for at most `most` elements per thread."""
    lanes = _power_of_two(ceil_div(size, vector))
    if lanes <= device.threads_per_warp:
        return lanes
    return max(device.threads_per_warp, _power_of_two(ceil_div(size, vector * (most // vector))))


def _power_of_two(least: int) -> int:
    return 1 << (least - 1).bit_length()
