"""
The emitter of several slices of inputs of one shape: one loop over that shape computes each element once.

Source: rows XGPU-06, XGPU-46; XLA:GPU's input slices emitter.
"""

from collections.abc import Sequence
from functools import partial

from xdsl.ir import SSAValue

from xshardy.affine.expressions import add, constant, dim
from xshardy.affine.indexing_map import IndexingMap
from xshardy.affine.interval import Interval
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.slicing import SliceOp
from xshardy.emitters.analysis import Choice, Emission, Fusion
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices, apply_map, domain_checks
from xshardy.emitters.kernel import Kernel, Values
from xshardy.emitters.loop import for_each_element
from xshardy.emitters.partition import RootGroup
from xshardy.emitters.predicated import insert_if
from xshardy.indexing.tensor_maps import minor_to_major, values_of


def choose_input_slices(fusion: Fusion) -> Choice | None:
    """
    The input slices emitter, if there are several results and all are contiguous slices of inputs of one shape and
    layout.
    """
    slices = [root.owner for root in fusion.roots if isinstance(root.owner, SliceOp)]
    if len(slices) < len(fusion.roots) or len(slices) < 2:
        return None
    if any(stride != 1 for op in slices for stride in values_of(op.strides)):
        return fusion.because("input_slices", "a slice has a stride")
    if len({(shape_of(op.operand), minor_to_major(op.operand)) for op in slices}) > 1:
        return fusion.because("input_slices", "the sliced tensors differ in shape or layout")
    reason = f"all results are slices of tensors of {list(shape_of(slices[0].operand))}"
    return Choice("input_slices", slices[0], reason, partial(emit_input_slices, fusion, slices))


def emit_input_slices(fusion: Fusion, slices: Sequence[SliceOp], entry_name: str) -> Emission:
    """The kernel of a fusion whose results are `slices`, and the functions it calls, in a new module."""
    operand = slices[0].operand
    launch = fusion.loop_launch(operand, fusion.roots)
    kernel = Kernel(fusion.computation, [RootGroup.same_indices([op.operand for op in slices])], launch, entry_name)

    def body(s: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
        elements = kernel.call(s, kernel.parts.root, indices)
        return [_insert(s, *what, indices) for what in zip(slices, elements, carried, strict=True)]

    return kernel.module(for_each_element(kernel, operand, body, kernel.entry.outputs))


def _insert(s: Scalars, op: SliceOp, element: SSAValue, output: SSAValue, indices: Indices) -> SSAValue:
    """Insert the element of the operand of `op` into `output` if it is in the slice."""
    shape, starts = shape_of(op.operand), values_of(op.start_indices)
    if 0 in shape_of(op.result):
        return output
    places = IndexingMap.from_tensor_sizes([add(dim(d), constant(-start)) for d, start in enumerate(starts)], shape)
    for d, (start, limit) in enumerate(zip(starts, values_of(op.limit_indices), strict=True)):
        places = places.constrained(dim(d), Interval(start, limit - 1))
    checks = domain_checks(s, places, shape, indices)
    return insert_if(s, checks, element, output, apply_map(s, places, indices))
