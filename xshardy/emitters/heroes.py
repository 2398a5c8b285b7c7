"""
The choice of an emitter for a fusion by its hero, the operation that determines the structure of the kernel.

A new emitter is a module and a row here. Source: rows XGPU-02 to XGPU-09, XGPU-46.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from xdsl.dialects.func import FuncOp

from xshardy.emitters.analysis import Choice, Fusion
from xshardy.emitters.concatenate import choose_concatenate
from xshardy.emitters.dynamic_update_slice import choose_dynamic_update_slice
from xshardy.emitters.elemental.support import require_results
from xshardy.emitters.input_slices import choose_input_slices
from xshardy.emitters.loop import choose_loop
from xshardy.emitters.reduction.choice import choose_reduction
from xshardy.emitters.row_wise.choice import choose_reduced_rows, choose_row_wise
from xshardy.emitters.scatter.choice import choose_scatter
from xshardy.emitters.sort import choose_sort
from xshardy.emitters.transpose.choice import choose_packed_transpose, choose_transpose
from xshardy.gpus.devices import Device

CHOICES: Sequence[Callable[[Fusion], Choice | None]] = (
    choose_sort,
    choose_row_wise,
    choose_reduction,
    choose_reduced_rows,
    choose_packed_transpose,
    choose_transpose,
    choose_input_slices,
    choose_scatter,
    choose_concatenate,
    choose_dynamic_update_slice,
)
"""The specialized emitters, each with its conditions; the first match wins."""


def choose_emitter(computation: FuncOp, device: Device | None = None) -> Choice:
    """
    The first specialized emitter whose conditions hold, otherwise the loop emitter.

    Raises `PassFailedException` if the computation has no results.
    """
    require_results(computation)
    fusion = Fusion(computation, device or Device())
    for choose in CHOICES:
        if (choice := choose(fusion)) is not None:
            return replace(choice, refused=fusion.refused)
    return replace(choose_loop(fusion), refused=fusion.refused)
