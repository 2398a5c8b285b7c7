"""
The emitter of in-place dynamic update slices: only the slice is written, into the buffer of the operand.

Source: rows XGPU-05, XGPU-46; XLA:GPU's conditions for updates in place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from xdsl.dialects import arith, tensor
from xdsl.ir import Block, BlockArgument, SSAValue

from xshardy.dialects import hlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.slicing import DynamicUpdateSliceOp
from xshardy.emitters.analysis import Choice, Emission, Fusion, behind_bitcasts
from xshardy.emitters.elemental.kinds import Kind, element_type_of, kind_of
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices, apply_map
from xshardy.emitters.kernel import Kernel, Values
from xshardy.emitters.loop import for_each_element
from xshardy.emitters.operations.lookups import clamped_start
from xshardy.emitters.partition import RootGroup
from xshardy.indexing.tensor_maps import bitcast_map


@dataclass(frozen=True, eq=False)
class Update:
    """A result of a fusion that equals a parameter except in one slice."""

    root: SSAValue
    op: DynamicUpdateSliceOp
    parameter: int


IN_PLACE = "in_place_dynamic_update_slice"
"""The name of the emitter."""


def choose_dynamic_update_slice(fusion: Fusion) -> Choice | None:
    """
    The in-place emitter, if every result is a dynamic update slice of a parameter without other uses.

    All slices must have the same shape.
    """
    updates = [_update_of(root) for root in fusion.roots]
    found = [update for update in updates if update is not None]
    if not found:
        return None
    if len(found) < len(updates):
        return fusion.because(IN_PLACE, "not every result is an update of a parameter that nothing else reads")
    if len({update.parameter for update in found}) < len(found):
        return fusion.because(IN_PLACE, "two results update one parameter")
    (shape, *others) = dict.fromkeys(shape_of(update.op.update) for update in found)
    if others:
        return fusion.because(IN_PLACE, "the slices differ in shape")
    reason = f"every result is a parameter but for a slice of {list(shape)}, which is written in place"
    emit = partial(emit_updates, fusion, found)
    return Choice(IN_PLACE, found[0].op, reason, emit)


def emit_updates(fusion: Fusion, updates: Sequence[Update], entry_name: str) -> Emission:
    """The kernel of a fusion whose results are `updates`, and the functions it calls, in a new module."""
    ops = [update.op for update in updates]
    first = ops[0].update
    launch = fusion.loop_launch(first, [op.update for op in ops])
    groups = [RootGroup.same_indices([op.update for op in ops])]
    groups += [RootGroup.same_indices(op.start_indices) for op in ops if op.start_indices]
    aliases = {number: update.parameter for number, update in enumerate(updates)}
    kernel = Kernel(fusion.computation, groups, launch, entry_name, aliases=aliases)
    read_updates, *read_starts = kernel.parts.subgraphs[: len(groups)]
    if shape_of(first):
        starts = [
            _starts(kernel.s, op, kernel.call(kernel.s, function, ()))
            for op, function in zip(ops, read_starts, strict=True)
        ]
    else:
        starts = [() for _ in ops]

    def body(inner: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
        elements = kernel.call(inner, read_updates, indices)
        updated: list[SSAValue] = []
        for update, start, element, output in zip(updates, starts, elements, carried, strict=True):
            at = tuple(inner(arith.AddiOp(*pair)) for pair in zip(indices, start, strict=True))
            place = apply_map(inner, bitcast_map(update.op.result, update.root), at)
            updated.append(inner(tensor.InsertOp(element, output, place)))
        return updated

    return kernel.module(for_each_element(kernel, first, body, kernel.entry.outputs))


def _starts(s: Scalars, op: DynamicUpdateSliceOp, starts: Values) -> Values:
    """The start indices of the slice, clamped so that the slice is inside of the operand; none for a scalar."""
    sizes = zip(shape_of(op.operand), shape_of(op.update), strict=True)
    signed = [kind_of(element_type_of(start.type)) is Kind.SIGNED for start in op.start_indices]
    return [
        clamped_start(s, start, is_signed, whole - part)
        for start, is_signed, (whole, part) in zip(starts, signed, sizes, strict=True)
    ]


def _update_of(root: SSAValue) -> Update | None:
    op = behind_bitcasts(root).owner
    if not isinstance(op, DynamicUpdateSliceOp):
        return None
    parameter = op.operand
    while isinstance(parameter.owner, hlo.BitcastOp) and parameter.has_one_use():
        parameter = parameter.owner.operand
    if not isinstance(parameter.owner, Block) or not parameter.has_one_use():
        return None
    return Update(root, op, cast(BlockArgument, parameter).index)
