"""The choice of the scatter emitter and of its work distribution. Source: rows XGPU-02, XGPU-08, XGPU-46."""

from functools import partial

from xshardy.dialects.shapes import shape_of
from xshardy.emitters.analysis import Choice, Fusion
from xshardy.emitters.loop import emit_loop_fusion
from xshardy.emitters.scatter.distribution import runs_of
from xshardy.emitters.scatter.kernel import ScatterFusion
from xshardy.emitters.scatter.runs import emit_runs
from xshardy.emitters.scatter.updates import emit_updates


def choose_scatter(fusion: Fusion) -> Choice | None:
    """
    The scatter emitter, if the results of the fusion are those of one scatter that can be done in place.

    Other scatters get the loop emitter, whose threads go through all updates.
    """
    scatter = ScatterFusion.of(fusion)
    if scatter is None:
        return None
    if (reason := scatter.reason_not_in_place) is not None:
        reason = f"a scatter in place is ruled out, as {reason}: every element goes through all updates"
        return Choice("loop", None, reason, partial(emit_loop_fusion, fusion.computation, device=fusion.device))
    runs = runs_of(scatter)
    if runs is not None:
        reason = (
            f"its {scatter.slices.count} index vectors are sorted: groups of {runs.lanes} threads take {runs.slices} "
            "of them, and combine the updates for equal ones in registers, before one atomic update for each run"
        )
        return Choice("scatter", scatter.op, reason, partial(emit_runs, scatter, runs))
    how = "the indices differ" if scatter.is_unique else "updates of one element are atomic"
    reason = f"it combines updates of {list(shape_of(scatter.op.updates[0]))} with elements of its operand; {how}"
    return Choice("scatter", scatter.op, reason, partial(emit_updates, scatter))
