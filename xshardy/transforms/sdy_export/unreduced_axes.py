"""
Moves that reduce an operand, or make it unreduced, if its use requires other unreduced axes.

Source: rows SDY-ATTR-18 and SDY-OP-02, and C++ Shardy, whose assertions are diagnostics here.
"""

from collections.abc import Sequence

from xdsl.ir import Operation

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, AxisRefs
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import difference, is_prefix, overlaps, suffix_without
from xshardy.dialects.sdy.collectives import sorted_and_merged
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_export.moves import AllReduce, Move, ReplicatedToUnreduced, Reshard, ShardedToUnreduced


def axes_without(axes: AxisRefs, others: AxisRefs, mesh: MeshAttr) -> tuple[AxisRefAttr, ...]:
    """The parts of `axes` that overlap with none of `others`, in the order of `axes`."""
    parts: list[AxisRefAttr] = []
    for axis in axes:
        # An axis of size 1 has no parts; it is kept if `others` do not name it.
        is_free = not any(overlaps(axis, other) for other in others)
        parts += [axis] if is_free else difference(axis, others, mesh)
    return tuple(parts)


def unreduced_axes(sharding: TensorShardingAttr | None) -> AxisRefs:
    """The unreduced axes of `sharding`; empty without a sharding."""
    return () if sharding is None else sharding.unreduced_axes.data


def _common_mesh(source: TensorShardingAttr, required: TensorShardingAttr, op: Operation) -> MeshAttr:
    """The mesh of both. Raises `OperationFailedException` if their meshes differ."""
    mesh = lookup_mesh(source, op)
    if mesh is None or mesh != lookup_mesh(required, op):
        raise OperationFailedException(
            op,
            f"'{op.name}' op has an operand over mesh {source.mesh_or_ref} and is to have it over mesh "
            f"{required.mesh_or_ref}, unreduced along some axes: reduce the operand first, or use one mesh",
        )
    return mesh


# -- Reducing ---------------------------------------------------------------------------------------------------------


def axes_to_reduce(source: TensorShardingAttr | None, required: TensorShardingAttr | None, op: Operation) -> AxisRefs:
    """
    The axes along which `source`, of an operand of `op`, is unreduced and `required` is not.

    Raises `OperationFailedException` if there are any and the two are over different meshes.
    """
    if source is None or not source.unreduced_axes.data:
        return ()
    if required is None:
        return source.unreduced_axes.data
    return axes_without(unreduced_axes(source), unreduced_axes(required), _common_mesh(source, required, op))


def reduction_for_use(
    source: TensorShardingAttr | None, required: TensorShardingAttr | None, op: Operation
) -> AllReduce | None:
    """The reduction of an operand of `op` along `axes_to_reduce`; None if there are none."""
    axes = axes_to_reduce(source, required, op)
    if source is None or not axes:
        return None
    mesh = lookup_mesh(source, op)
    assert mesh is not None, "the axes have been found in it"
    sharding = TensorShardingAttr(
        source.mesh_or_ref,
        source.dim_shardings,
        source.replicated_axes,
        axes_without(unreduced_axes(source), axes, mesh),
        source.reduction_op.data,
    )
    return AllReduce(axes, sharding, source.reduction_op.data)


# -- Becoming unreduced -----------------------------------------------------------------------------------------------


def moves_to_unreduced(
    source: TensorShardingAttr | None, required: TensorShardingAttr | None, op: Operation
) -> Sequence[Move]:
    """
    The moves of an operand of `op` to `required`, if that has more unreduced axes than `source`; empty otherwise.

    At most three moves: a reshard, if dimensions are sharded differently; `replicated_to_unreduced` along axes that
    replicate the tensor; `sharded_to_unreduced` along axes that shard it.
    Raises `OperationFailedException` if the operand needs a reduction along other axes, if the meshes differ, and for
    maxima and minima, of which sdy makes no parts.
    """
    if required is None or not required.unreduced_axes.data:
        return ()
    source = source or TensorShardingAttr.fully_closed(required.mesh_or_ref, required.rank)
    mesh = _common_mesh(source, required, op)
    added = axes_without(unreduced_axes(required), unreduced_axes(source), mesh)
    if not added:
        return ()
    if dropped := axes_without(unreduced_axes(source), unreduced_axes(required), mesh):
        raise OperationFailedException(
            op,
            f"'{op.name}' op has an operand that is unreduced along {_listed(dropped)} and is to be unreduced along "
            f"{_listed(added)} instead: reduce it first",
        )
    if (kind := required.reduction_op.data) is not ReductionOp.SUM:
        raise OperationFailedException(
            op,
            f"'{op.name}' op has an operand that is to be unreduced along {_listed(added)} by {kind.value}, but only "
            "sums are divided: let the operand be replicated along these axes",
        )
    dims: list[DimensionShardingAttr] = []
    padded: list[AxisRefs] = []
    misfits = False
    for before, after in zip(source.dim_shardings, required.dim_shardings, strict=True):
        rest = _rest(before.axes.data, after.axes.data, mesh)
        pads = bool(rest) and not axes_without(rest, added, mesh)
        padded.append(rest if rest and pads else ())
        dims.append(before if pads else after)
        misfits |= not pads and rest != ()
    by_padding = [axis for axes in padded for axis in axes]
    by_forgetting = axes_without(added, by_padding, mesh)
    moves: list[Move] = []
    if misfits:
        resharded = TensorShardingAttr(
            source.mesh_or_ref, dims, source.replicated_axes, source.unreduced_axes, source.reduction_op.data
        )
        moves.append(Reshard(resharded))
    if by_forgetting:
        forgotten = TensorShardingAttr(
            source.mesh_or_ref,
            dims,
            required.replicated_axes,
            sorted_and_merged([*source.unreduced_axes, *by_forgetting], mesh),
            required.reduction_op.data,
        )
        moves.append(ReplicatedToUnreduced(by_forgetting, forgotten))
    if by_padding:
        moves.append(ShardedToUnreduced(padded, required))
    return moves


def _rest(axes: AxisRefs, prefix: AxisRefs, mesh: MeshAttr) -> AxisRefs | None:
    """The axes after `prefix`; None if `axes` do not start with it."""
    if not prefix:
        return axes
    last = len(prefix) - 1
    if len(axes) <= last or axes[:last] != prefix[:last] or not is_prefix(prefix[last], axes[last]):
        return None
    tail = axes[last + 1 :]
    if axes[last] == prefix[last]:
        return tail
    minor = suffix_without(axes[last], prefix[last], mesh)
    return (minor, *tail) if minor is not None else tail


def _listed(axes: AxisRefs) -> str:
    return "{" + ", ".join(axis.text for axis in axes) + "}"
