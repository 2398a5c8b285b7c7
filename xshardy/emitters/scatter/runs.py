"""
The scatter with sorted index vectors: updates of one element follow each other, and are combined, then written.

A group of threads takes neighbouring slices, each thread the same part of every one. It combines what equal index
vectors say of its part in registers, and writes when they change: one atomic update for a run of many.
What is not sorted after all has short runs, and the same result. Source: XLA:GPU's scatter emitter.
"""

from dataclasses import dataclass
from math import gcd, prod
from typing import cast

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import AnyFloat, BytesAttr, DenseIntOrFPElementsAttr, IntegerType, ModuleOp, VectorType, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.scatter import ScatterOp
from xshardy.dialects.stablehlo.types import bit_width
from xshardy.emitters.elemental.kinds import Kind, element_type_of, emitted_type, kind_of
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.grids import block_number, ceil_div, grid_map, round_up, split
from xshardy.emitters.indices import Indices, loop_over
from xshardy.emitters.kernel import Values
from xshardy.emitters.launch_dimensions import WARPS_PER_BLOCK, Device, LaunchDimensions, grid_of
from xshardy.emitters.scatter.kernel import ScatterFusion, ScatterKernel
from xshardy.emitters.scatter.slices import Slices
from xshardy.indexing.affine import add, constant, dim, floordiv, mod, mul, sym
from xshardy.indexing.indexing_map import IndexingMap
from xshardy.indexing.interval import Interval
from xshardy.indexing.tensor_maps import delinearized, minor_to_major

ACCESS_BITS = 128
"""The widest load of a thread."""

MAX_ACCUMULATED_BITS = 256
"""What a thread keeps in registers: longer slices are for more threads."""


# -- Which scatters, and how ------------------------------------------------------------------------------------------

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
    """Whether `f(f(x, a), b)` is `f(x, f(a, b))` for what `op` combines elements by: one of a few, or the last one."""
    block = op.update_computation.block
    *operations, last = block.ops
    match operations:
        case []:
            return tuple(last.operands) == tuple(block.args[1:])
        case [operation]:
            both = set(operation.operands) == set(block.args)
            return both and type(operation) in ASSOCIATIVE and tuple(last.operands) == tuple(operation.results)
        case _:
            return False


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


# -- The maps ---------------------------------------------------------------------------------------------------------


def slices_of_thread(slices: Slices, runs: Runs) -> IndexingMap:
    """From the ids of a thread, and which of its slices, in two numbers, to the number of the slice."""
    group = floordiv(_thread(runs), constant(runs.lanes))
    own = add(mul(sym(0), constant(runs.vector_slices)), sym(1))
    number = add(mul(group, constant(runs.slices)), own)
    sizes = (runs.slices // runs.vector_slices, runs.vector_slices)
    map = grid_map(runs.launch, split(number, slices.shape), sizes)
    return map.constrained(number, Interval.of_size(slices.count)).simplify()


def elements_of_thread(slices: Slices, runs: Runs) -> IndexingMap:
    """From the ids of a thread, and which of its elements, in two numbers, to where in a slice, and which register."""
    lane = mod(_thread(runs), constant(runs.lanes))
    place = add(mul(add(mul(sym(0), constant(runs.lanes)), lane), constant(runs.vector)), sym(1))
    register = add(mul(sym(0), constant(runs.vector)), sym(1))
    order = [slices.window_dims.index(d) for d in minor_to_major(slices.op.updates[0]) if d in slices.window_dims]
    map = grid_map(runs.launch, (*delinearized(slices.window, order, place), register), (runs.steps, runs.vector))
    return map.constrained(place, Interval.of_size(prod(slices.window))).simplify()


def _thread(runs: Runs) -> AffineExpr:
    """The number of a thread in the grid."""
    return add(mul(block_number(runs.launch), constant(runs.launch.threads)), dim(0))


# -- The kernel -------------------------------------------------------------------------------------------------------


def emit_runs(scatter: ScatterFusion, runs: Runs, entry_name: str) -> ModuleOp:
    """The kernel of a scatter, and the functions it calls, in a new module."""
    return RunsEmitter(ScatterKernel(scatter, runs.launch, entry_name), runs).emit()


@dataclass(frozen=True, eq=False)
class Run:
    """
    Slices with one index vector, and the output before they are written.

    `components` are the vector, `is_inside` whether the slices are inside of the operand; `combined`, a vector, has
    what a thread made of its elements in all of them.
    """

    components: Values
    is_inside: SSAValue
    combined: SSAValue
    output: SSAValue

    @property
    def values(self) -> list[SSAValue]:
        """What is carried from slice to slice."""
        return [*self.components, self.is_inside, self.combined, self.output]

    @staticmethod
    def of(values: Values) -> "Run":
        """The run that is carried as `values`."""
        *components, is_inside, combined, output = values
        return Run(components, is_inside, combined, output)


class RunsEmitter:
    """Writes the kernel: a loop over the slices of a thread, which carries the run that the last one belongs to."""

    def __init__(self, kernel: ScatterKernel, runs: Runs):
        self.kernel = kernel
        self.slices = kernel.slices
        self.runs = runs
        self.elements = elements_of_thread(kernel.slices, runs)
        self.element_type = emitted_type(element_type_of(kernel.op.inputs[0].type))

    def emit(self) -> ModuleOp:
        """The module of the kernel."""

        def body(s: Scalars, ivs: Indices, number: Indices, carried: Values) -> Values:
            return self.next_slice(s, number, Run.of(carried)).values

        kernel = self.kernel
        numbers = slices_of_thread(self.slices, self.runs)
        last = Run.of(loop_over(kernel.s, numbers, kernel.ids, self.no_run(kernel.s).values, body))
        return kernel.module([self.written(kernel.s, last, last.is_inside)])

    def no_run(self, s: Scalars) -> Run:
        """What comes before the first slice: a run that is not written, as it is outside of the operand."""
        zero = s.constant(0, emitted_type(element_type_of(self.slices.op.scatter_indices.type)))
        nothing = s(arith.ConstantOp(_zeros(self.element_type, self.runs.steps * self.runs.vector)))
        return Run([zero] * len(self.slices.started), s.constant(0, i1), nothing, self.kernel.entry.outputs[0])

    def next_slice(self, s: Scalars, number: Indices, run: Run) -> Run:
        """
        The run that slice `number` belongs to, up to it: it goes on with its vector, or is the first one of a new run.

        A run that ends is written, and its registers are overwritten by the first updates of the next.
        """
        components = self.kernel.index_vector(s, number)
        starts = self.slices.starts(s, components)
        is_inside = self.slices.is_inside(s, components, starts)
        is_same = [s.compare("eq", *pair) for pair in zip(components, run.components, strict=True)]
        goes_on = s.all_of([run.is_inside, *is_same])
        output = self.written(s, run, condition=s(arith.XOrIOp(run.is_inside, goes_on)))

        def add_slice(inner: Scalars) -> Values:
            return loop_over(inner, self.elements, self.kernel.ids, [run.combined], add_element)

        def add_element(inner: Scalars, ivs: Indices, place: Indices, carried: Values) -> Values:
            (combined,), (*window, register) = carried, place
            (update,) = self.kernel.updates(inner, number, tuple(window))
            before = inner(vector.ExtractOp(combined, [register], self.element_type))
            (after,) = self.kernel.combined(inner, [before], [update])
            return [inner(vector.InsertOp(inner.select(goes_on, after, update), combined, [register]))]

        (combined,) = s.branch_all(is_inside, [run.combined], add_slice)
        return Run(components, is_inside, combined, output)

    def written(self, s: Scalars, run: Run, condition: SSAValue) -> SSAValue:
        """The output with what was combined in `run`, if `condition` holds."""

        def write(inner: Scalars) -> Values:
            starts = self.slices.starts(inner, run.components)

            def write_element(b: Scalars, ivs: Indices, place: Indices, carried: Values) -> Values:
                *window, register = place
                element = b(vector.ExtractOp(run.combined, [register], self.element_type))
                return self.kernel.write(b, self.slices.element(b, (), tuple(window), starts), [element], carried)

            return loop_over(inner, self.elements, self.kernel.ids, [run.output], write_element)

        (output,) = s.branch_all(condition, [run.output], write)
        return output


def _zeros(element: Attribute, count: int) -> DenseIntOrFPElementsAttr[IntegerType | AnyFloat]:
    type = VectorType(cast(IntegerType | AnyFloat, element), [count])
    return DenseIntOrFPElementsAttr(type, BytesAttr(bytes(count * type.element_type.compile_time_size)))
