"""
The scatter emitter: each thread takes neighbouring updates, and combines them with the elements that an index names.

The result is written where the operand is. Updates of one element by several threads are atomic, unless all indices are
said to differ. A slice that is not inside of the operand is left out. Source: rows XGPU-08, XGPU-46, XGPU-55.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from math import gcd, prod
from typing import cast

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Region, SSAValue
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.extensions.arith import IndexCastUIOp
from xshardy.dialects.stablehlo.scatter import ScatterOp
from xshardy.dialects.xla_gpu.ops import AtomicRMWOp, YieldOp
from xshardy.emitters.analysis import Choice, Fusion, behind_bitcasts
from xshardy.emitters.elemental.kinds import Kind, element_type_of, emitted_type, kind_of
from xshardy.emitters.elemental.scalars import Scalars, width_of
from xshardy.emitters.indices import Indices, apply_map, in_domain, loop_over
from xshardy.emitters.kernel import Kernel, Values
from xshardy.emitters.launch_dimensions import Device, LaunchDimensions, unroll_factor, unrolled_launch
from xshardy.emitters.loop import thread_to_element
from xshardy.emitters.partition import RootGroup
from xshardy.indexing.tensor_maps import minor_to_major, shape_of, values_of


def choose_scatter(fusion: Fusion) -> Choice | None:
    """The scatter emitter, if the results of the fusion are those of a scatter."""
    op = fusion.roots[0].owner
    if not isinstance(op, ScatterOp) or tuple(fusion.roots) != tuple(op.results):
        return None
    how = "the indices differ" if _is_unique(op) else "updates of one element are atomic"
    reason = f"it combines updates of {list(shape_of(op.updates[0]))} with elements of its operand; {how}"
    return Choice("scatter", op, reason, partial(emit_scatter, fusion.computation, op, fusion.device))


def emit_scatter(computation: FuncOp, op: ScatterOp, device: Device, entry_name: str) -> ModuleOp:
    """
    The kernel of a computation that ends in a scatter, and the functions it calls, in a new module.

    Raises `PassFailedException` if an operand is not a parameter of the computation, whose buffer the result could be
    written to, and for several operands whose indices may be equal, as no atomic operation updates them together.
    """
    if len(op.inputs) > 1 and not _is_unique(op):
        raise PassFailedException(
            f"@{computation.sym_name.data}: stablehlo.scatter of {len(op.inputs)} operands cannot be emitted: no "
            "atomic operation updates elements of several tensors together; state unique_indices if all indices differ"
        )
    aliases = {number: _parameter(computation, value) for number, value in enumerate(op.inputs)}
    groups = [RootGroup.same_indices([op.scatter_indices]), RootGroup.same_indices(op.updates)]
    launch = _launch(op, device)
    kernel = Kernel(computation, groups, launch, entry_name, heroes=[op], aliases=aliases)
    read_index, read_updates = kernel.parts.subgraphs[:2]
    s, outputs = kernel.s, kernel.entry.outputs
    if not prod(shape_of(op.updates[0])) or not prod(shape_of(op.inputs[0])):
        return kernel.module(outputs)

    slices = Slices(op)
    updates = thread_to_element(op.updates[0], launch, kernel.variables)
    first = updates.bind({}, {0: 0}).simplify()

    def emit_slice(inner: Scalars) -> Values:
        """The updates of a thread, which are all in one slice."""
        place = apply_map(inner, first, kernel.ids)
        components = [kernel.call(inner, read_index, at)[0] for at in slices.index_vector(inner, place)]
        inside = inner.all_of(slices.bounds_checks(inner, components))
        starts = [slices.as_index(inner, component) for component in components]
        return inner.branch_all(inside, outputs, lambda innermost: emit_updates(innermost, starts))

    def emit_updates(inner: Scalars, starts: Values) -> Values:
        def body(b: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
            elements = kernel.call(b, read_updates, indices)
            return _update(b, kernel, op, slices.element(b, indices, starts), elements, carried)

        return loop_over(inner, updates, kernel.ids, outputs, body)

    has_updates = in_domain(s, first, [variable.bounds.size for variable in kernel.variables], kernel.ids)
    return kernel.module(s.branch_all(has_updates, outputs, emit_slice))


def _launch(op: ScatterOp, device: Device) -> LaunchDimensions:
    """A thread for each few updates that lie side by side in one slice, or for each update."""
    shape, window = shape_of(op.updates[0]), Slices(op).window_dims
    unroll = unroll_factor(prod(shape), [element_type_of(value.type) for value in op.inputs], [op], device)
    is_side_by_side = minor_to_major(op.updates[0])[: len(window)] == tuple(reversed(window))
    within = gcd(unroll, prod(shape[d] for d in window)) if is_side_by_side else 1
    return unrolled_launch(prod(shape), within, device)


def _update(s: Scalars, kernel: Kernel, op: ScatterOp, at: Indices, elements: Values, outputs: Values) -> Values:
    """The outputs with the elements at one place combined with `elements`."""
    if _is_unique(op):
        types = [emitted_type(element_type_of(value.type)) for value in op.inputs]
        current = [s(tensor.ExtractOp(output, at, type)) for output, type in zip(outputs, types, strict=True)]
        combined = kernel.combine(s, op, current, elements)
        return [s(tensor.InsertOp(*pair, at)) for pair in zip(combined, outputs, strict=True)]
    ((output,), (element,)) = outputs, elements
    block = Block(arg_types=[element.type])
    inner = Scalars.at_end(block)
    inner.builder.insert(YieldOp(*kernel.combine(inner, op, [*block.args], [element])))
    return [s(AtomicRMWOp(output, at, Region(block)))]


def _is_unique(op: ScatterOp) -> bool:
    """Whether no two updates are of one element: it is said, or there is but one slice."""
    return bool(op.unique_indices and op.unique_indices.value.data) or Slices(op).count == 1


def _parameter(computation: FuncOp, value: SSAValue) -> int:
    """The number of the parameter whose buffer `value` is in."""
    value = behind_bitcasts(value)
    if isinstance(value.owner, Block):
        return cast(BlockArgument, value).index
    raise PassFailedException(
        f"@{computation.sym_name.data}: an operand of stablehlo.scatter is computed in the fusion, by "
        f"{value.owner.name}; the result is written in place, so make the operand a parameter of the fusion"
    )


@dataclass(frozen=True, eq=False)
class Slices:
    """Where the updates of a scatter go: each slice of them to where an index vector says."""

    op: ScatterOp

    @property
    def window_dims(self) -> tuple[int, ...]:
        """The dimensions of the updates that are inside of a slice."""
        return values_of(self.op.scatter_dimension_numbers.update_window_dims)

    @property
    def slice_dims(self) -> tuple[int, ...]:
        """The other dimensions of the updates, which number the slices."""
        return tuple(d for d in range(len(shape_of(self.op.updates[0]))) if d not in self.window_dims)

    @property
    def count(self) -> int:
        """How many slices there are."""
        return prod(shape_of(self.op.updates[0])[d] for d in self.slice_dims)

    @cached_property
    def window_of(self) -> Mapping[int, int]:
        """For each dimension of the operand that a slice extends along: the dimension of the updates there."""
        numbers = self.op.scatter_dimension_numbers
        left_out = (*values_of(numbers.inserted_window_dims), *values_of(numbers.input_batching_dims))
        kept = [d for d in range(len(shape_of(self.op.inputs[0]))) if d not in left_out]
        return dict(zip(kept, self.window_dims, strict=True))

    @property
    def started(self) -> tuple[int, ...]:
        """The dimensions of the operand that the components of an index vector are for."""
        return values_of(self.op.scatter_dimension_numbers.scatter_dims_to_operand_dims)

    @property
    def is_signed(self) -> bool:
        return kind_of(element_type_of(self.op.scatter_indices.type)) is Kind.SIGNED

    def index_vector(self, s: Scalars, update: Indices) -> list[Indices]:
        """Where the components of the index vector are that an update at these indices belongs to."""
        axis = self.op.scatter_dimension_numbers.index_vector_dim.data
        slice_number = [update[d] for d in self.slice_dims]
        if axis == len(shape_of(self.op.scatter_indices)):
            return [tuple(slice_number)]
        components = [s.constant(i, IndexType()) for i in range(len(self.started))]
        return [(*slice_number[:axis], component, *slice_number[axis:]) for component in components]

    def bounds_checks(self, s: Scalars, components: Values) -> list[SSAValue]:
        """That a slice that starts at these components of an index vector is inside of the operand."""
        shape, updates = shape_of(self.op.inputs[0]), shape_of(self.op.updates[0])
        checks: list[SSAValue] = []
        for component, d in zip(components, self.started, strict=True):
            last = shape[d] - (updates[self.window_of[d]] if d in self.window_of else 1)
            if last < (1 << (width_of(component) - self.is_signed)) - 1:
                checks.append(s.compare("ule", component, last))  # a negative one is larger than any size
            elif self.is_signed:
                checks.append(s.compare("sge", component, 0))
        return checks

    def as_index(self, s: Scalars, component: SSAValue) -> SSAValue:
        return s((arith.IndexCastOp if self.is_signed else IndexCastUIOp)(component, IndexType()))

    def element(self, s: Scalars, update: Indices, starts: Values) -> Indices:
        """The indices of the element that an update at these indices is for."""
        numbers = self.op.scatter_dimension_numbers
        axis = numbers.index_vector_dim.data
        start_of = dict(zip(self.started, starts, strict=True))
        batches = zip(
            values_of(numbers.input_batching_dims), values_of(numbers.scatter_indices_batching_dims), strict=True
        )
        batch_of = {d: update[self.slice_dims[i - (i > axis)]] for d, i in batches}
        result: list[SSAValue] = []
        for d in range(len(shape_of(self.op.inputs[0]))):
            parts = [start_of[d]] if d in start_of else []
            parts += [update[self.window_of[d]]] if d in self.window_of else []
            parts += [batch_of[d]] if d in batch_of else []
            sum = parts[0] if parts else s.constant(0, IndexType())
            for part in parts[1:]:
                sum = s(arith.AddiOp(part, sum))
            result.append(sum)
        return tuple(result)
