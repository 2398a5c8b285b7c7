"""
The choice of the reduction emitter and of its tiling.

Source: XLA:GPU's fusion analysis and reduction emitters; row XGPU-07.
"""

from collections.abc import Sequence
from functools import partial

from xdsl.dialects.builtin import ComplexType
from xdsl.ir import SSAValue

from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.emitters.analysis import Choice, Fusion, behind_intermediates, elements_in
from xshardy.emitters.elemental.kinds import bits_in_memory, element_type_of
from xshardy.emitters.reduction.column import column_tiling
from xshardy.emitters.reduction.dimensions import is_race_free, pays_off
from xshardy.emitters.reduction.emit import emit_reduction
from xshardy.emitters.reduction.groups import reduction_groups
from xshardy.emitters.reduction.multi_row import multi_row_tiling
from xshardy.emitters.reduction.row import row_tiling
from xshardy.emitters.reduction.small_column import small_column_tiling
from xshardy.emitters.reduction.tiling import Elements, Tiling
from xshardy.gpus.devices import Device
from xshardy.indexing.reduction_dimensions import ReductionDimensions, reduction_dimensions


def choose_reduction(fusion: Fusion) -> Choice | None:
    """
    The reduction emitter, if a result depends on a reduction for which a parallel reduction pays off.

    All such reductions must have the same dimensions, and every other result must have as many elements as their
    inputs.
    """
    heroes = [find_reduction(root, fusion.device) for root in fusion.roots]
    first = next((hero for hero in heroes if hero is not None), None)
    if first is None:
        return None
    dimensions = reduction_dimensions(first)
    assert dimensions is not None
    for root, hero in zip(fusion.roots, heroes, strict=True):
        if hero is None and elements_in(root) != elements_in(first.inputs[0]):
            return fusion.because("reduction", "a result has other sizes than what is reduced")
        if hero is not None and reduction_dimensions(hero) != dimensions:
            return fusion.because("reduction", "two reductions have different dimensions")
    tiling = choose_tiling(dimensions, _elements(fusion, heroes), fusion.device)
    reason = f"it reduces {'rows' if dimensions.is_row else 'columns'} of {list(dimensions.sizes)}"
    groups = reduction_groups(fusion.roots, heroes)
    return Choice(tiling.name, first, reason, partial(emit_reduction, fusion.computation, groups, tiling))


def find_reduction(root: SSAValue, device: Device) -> ReduceOp | None:
    """The reduction behind `root`, through elementwise operations of one operand, if a parallel reduction pays off."""
    op = [root, *behind_intermediates(root)][-1].owner
    if not isinstance(op, ReduceOp) or not elements_in(op.inputs[0]):
        return None
    dimensions = reduction_dimensions(op)
    if dimensions is None or not (pays_off(dimensions, device) and is_race_free(dimensions, device)):
        return None
    return op


def choose_tiling(dimensions: ReductionDimensions, elements: Elements, device: Device) -> Tiling:
    """The tiling for reductions of these dimensions."""
    if dimensions.is_row:
        return multi_row_tiling(dimensions, elements, device) or row_tiling(dimensions, elements, device)
    few = device.threads_per_warp % dimensions.sizes[2] == 0
    return (small_column_tiling if few else column_tiling)(dimensions, elements, device)


def _elements(fusion: Fusion, heroes: Sequence[ReduceOp | None]) -> Elements:
    read = [operand for hero in heroes if hero is not None for operand in hero.operands]
    is_complex = any(isinstance(element_type_of(value.type), ComplexType) for value in read)
    side_outputs = (root for root, hero in zip(fusion.roots, heroes, strict=True) if hero is None)
    widest = max((bits_in_memory(root.type) for root in side_outputs), default=0)
    return Elements(fusion.narrowest_input, fusion.narrowest_output, is_complex, widest)
