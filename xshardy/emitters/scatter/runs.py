"""
The scatter with sorted index vectors: consecutive updates of one element are combined in registers before the write.

A group of threads takes consecutive slices; each thread takes the same part of every slice. It combines the updates
with equal index vectors and writes once when the index vector changes, so a long run costs one atomic update. Unsorted
index vectors give short runs and the same result. Source: XLA:GPU's scatter emitter.
"""

from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import AnyFloat, BytesAttr, DenseIntOrFPElementsAttr, IntegerType, VectorType, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from xshardy.affine.expressions import add, constant, dim, floordiv, mod, mul, sym
from xshardy.affine.indexing_map import IndexingMap
from xshardy.affine.interval import Interval
from xshardy.emitters.analysis import Emission
from xshardy.emitters.elemental.kinds import element_type_of, emitted_type
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.grids import block_number, grid_map, split
from xshardy.emitters.indices import Indices, loop_over
from xshardy.emitters.kernel import Values
from xshardy.emitters.scatter.distribution import Runs
from xshardy.emitters.scatter.kernel import ScatterFusion, ScatterKernel
from xshardy.emitters.scatter.slices import Slices
from xshardy.indexing.tensor_maps import delinearized, minor_to_major

# -- The maps ---------------------------------------------------------------------------------------------------------


def slices_of_thread(slices: Slices, runs: Runs) -> IndexingMap:
    """The map from the ids of a thread, and two numbers for its slice, to the number of the slice."""
    group = floordiv(_thread(runs), constant(runs.lanes))
    own = add(mul(sym(0), constant(runs.vector_slices)), sym(1))
    number = add(mul(group, constant(runs.slices)), own)
    sizes = (runs.slices // runs.vector_slices, runs.vector_slices)
    map = grid_map(runs.launch, split(number, slices.shape), sizes)
    return map.constrained(number, Interval.of_size(slices.count)).simplify()


def elements_of_thread(slices: Slices, runs: Runs) -> IndexingMap:
    """
    The map from the ids of a thread, and two numbers for its element, to the position in the slice and the register.
    """
    lane = mod(_thread(runs), constant(runs.lanes))
    place = add(mul(add(mul(sym(0), constant(runs.lanes)), lane), constant(runs.vector)), sym(1))
    register = add(mul(sym(0), constant(runs.vector)), sym(1))
    order = [slices.window_dims.index(d) for d in minor_to_major(slices.op.updates[0]) if d in slices.window_dims]
    map = grid_map(runs.launch, (*delinearized(slices.window, order, place), register), (runs.steps, runs.vector))
    return map.constrained(place, Interval.of_size(prod(slices.window))).simplify()


def _thread(runs: Runs) -> AffineExpr:
    """The linear index of a thread in the grid."""
    return add(mul(block_number(runs.launch), constant(runs.launch.threads)), dim(0))


# -- The kernel -------------------------------------------------------------------------------------------------------


def emit_runs(scatter: ScatterFusion, runs: Runs, entry_name: str) -> Emission:
    """The kernel of a scatter, and its functions, in a new module."""
    return RunsEmitter(ScatterKernel(scatter, runs.launch, entry_name), runs).emit()


@dataclass(frozen=True, eq=False)
class Run:
    """
    Consecutive slices with one index vector, and the output before they are written.

    `components` is the index vector, `is_inside` whether the slices are inside of the operand; `combined` is the vector
    of the thread's combined updates.
    """

    components: Values
    is_inside: SSAValue
    combined: SSAValue
    output: SSAValue

    @property
    def values(self) -> list[SSAValue]:
        """The loop-carried values."""
        return [*self.components, self.is_inside, self.combined, self.output]

    @staticmethod
    def of(values: Values) -> "Run":
        """The run with these loop-carried values."""
        *components, is_inside, combined, output = values
        return Run(components, is_inside, combined, output)


class RunsEmitter:
    """Emits the kernel: a loop over the slices of a thread that carries the current run."""

    def __init__(self, kernel: ScatterKernel, runs: Runs):
        self.kernel = kernel
        self.slices = kernel.slices
        self.runs = runs
        self.elements = elements_of_thread(kernel.slices, runs)
        self.element_type = emitted_type(element_type_of(kernel.op.inputs[0].type))

    def emit(self) -> Emission:
        """The module of the kernel."""

        def body(s: Scalars, ivs: Indices, number: Indices, carried: Values) -> Values:
            return self.next_slice(s, number, Run.of(carried)).values

        kernel = self.kernel
        numbers = slices_of_thread(self.slices, self.runs)
        last = Run.of(loop_over(kernel.s, numbers, kernel.ids, self.initial_run(kernel.s).values, body))
        return kernel.module([self.written(kernel.s, last, last.is_inside)])

    def initial_run(self, s: Scalars) -> Run:
        """The run before the first slice; it is outside of the operand and thus never written."""
        zero = s.constant(0, emitted_type(element_type_of(self.slices.op.scatter_indices.type)))
        nothing = s(arith.ConstantOp(_zeros(self.element_type, self.runs.steps * self.runs.vector)))
        return Run([zero] * len(self.slices.started), s.constant(0, i1), nothing, self.kernel.entry.outputs[0])

    def next_slice(self, s: Scalars, number: Indices, run: Run) -> Run:
        """
        The run after slice `number`: `run` continued if the index vector is equal, otherwise a new run.

        On a new index vector the old run is written, and the first updates of the new run overwrite its registers.
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
        """The output with the combined updates of `run` written, if `condition` holds."""

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
