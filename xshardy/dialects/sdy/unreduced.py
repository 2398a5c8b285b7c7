"""
The operations that may make a tensor unreduced along an axis, or reduce it. Messages are upstream's.

Source: rows SDY-ATTR-18 and SDY-OP-02.
"""

from collections.abc import Iterable, Sequence

from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import difference, overlaps
from xshardy.dialects.sdy.value_shardings import lookup_mesh


def _unreduced(shardings: Iterable[TensorShardingAttr]) -> list[AxisRefAttr]:
    return [axis for sharding in shardings for axis in sharding.unreduced_axes]


def verify_unreduced_transition(
    op: Operation,
    before: Sequence[TensorShardingAttr],
    after: Sequence[TensorShardingAttr],
    *,
    introduced: ReductionOp | None,
    removed: ReductionOp | None,
) -> None:
    """
    Check the unreduced axes of operands (`before`) and results (`after`) of `op`.

    `introduced` is the reduction that new unreduced axes must have, `removed` that of removed ones; None allows none.
    Shardings over different meshes are not compared.
    """
    meshes = {mesh for sharding in (*before, *after) if (mesh := lookup_mesh(sharding, op)) is not None}
    if len(meshes) != 1:
        return
    mesh = meshes.pop()
    old, new = _unreduced(before), _unreduced(after)
    added = [part for axis in new for part in difference(axis, old, mesh)]
    gone = [part for axis in old for part in difference(axis, new, mesh)]
    if added:
        if introduced is None:
            raise VerifyException(f"cannot add new unreduced axis '{added[0].axis.data}'.")
        _verify_reduction(after, added, introduced, "introduce")
    if gone:
        if removed is None:
            raise VerifyException(
                f"dropped unreduced axis '{gone[0].axis.data}' without a blessed operation (e.g., sdy.reshard). "
                "This is an invalid transition from unreduced to reduced."
            )
        _verify_reduction(before, gone, removed, "reduce")
    for result in after:
        for operand in before:
            kept = any(overlaps(a, b) for a in operand.unreduced_axes for b in result.unreduced_axes)
            if kept and operand.reduction_op != result.reduction_op:
                raise VerifyException(
                    "cannot change the reduction operator of kept unreduced axes from "
                    f"{operand.reduction_op.data.value} to {result.reduction_op.data.value}."
                )


def _verify_reduction(
    shardings: Iterable[TensorShardingAttr], axes: Sequence[AxisRefAttr], expected: ReductionOp, verb: str
) -> None:
    for sharding in shardings:
        found = sharding.reduction_op.data
        if found is not expected and any(overlaps(a, b) for a in sharding.unreduced_axes for b in axes):
            raise VerifyException(f"cannot {verb} '{found.value}' unreduced axes. Expected '{expected.value}'.")
