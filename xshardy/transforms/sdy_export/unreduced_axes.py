"""
Uses that want a tensor reduced which is not, or unreduced along axes that it was sharded by or replicated along.

Source: rows SDY-ATTR-18 and SDY-OP-02, and C++ Shardy, whose conditions are errors here and not aborts.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue, Use
from xdsl.rewriter import InsertPoint, Rewriter

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, AxisRefListAttr, AxisRefs, ListOfAxisRefListsAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import difference, is_prefix, overlaps, suffix_without
from xshardy.dialects.sdy.collectives import (
    AllReduceOp,
    ReplicatedToUnreducedOp,
    ShardedToUnreducedOp,
    sorted_and_merged,
)
from xshardy.dialects.sdy.ops import ReshardOp
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.shardable_values import sharding_of


def axes_without(axes: AxisRefs, others: AxisRefs, mesh: MeshAttr) -> tuple[AxisRefAttr, ...]:
    """The parts of `axes` that share nothing with any of `others`, in the order of `axes`."""
    parts: list[AxisRefAttr] = []
    for axis in axes:
        # An axis of size 1 has no parts, yet stays where nobody else names it.
        is_free = not any(overlaps(axis, other) for other in others)
        parts += [axis] if is_free else difference(axis, others, mesh)
    return tuple(parts)


def unreduced_axes(sharding: TensorShardingAttr | None) -> AxisRefs:
    """The axes along which a tensor with `sharding`, or without one, is unreduced."""
    return () if sharding is None else sharding.unreduced_axes.data


def operand_of(use: Use) -> SSAValue:
    """The value that `use` reads."""
    return use.operation.operands[use.index]


def _common_mesh(source: TensorShardingAttr, wanted: TensorShardingAttr, op: Operation) -> MeshAttr:
    """The mesh of both. Raises `OperationFailedException` if they have not the same."""
    mesh = lookup_mesh(source, op)
    if mesh is None or mesh != lookup_mesh(wanted, op):
        raise OperationFailedException(
            op,
            f"'{op.name}' op has an operand over mesh {source.mesh_or_ref} and is to have it over mesh "
            f"{wanted.mesh_or_ref}, unreduced along some axes: reduce the operand first, or use one mesh",
        )
    return mesh


# -- Reducing ---------------------------------------------------------------------------------------------------------


def axes_to_reduce(source: TensorShardingAttr | None, wanted: TensorShardingAttr | None, op: Operation) -> AxisRefs:
    """
    The axes along which `source`, of an operand of `op`, is unreduced and `wanted` is not.

    Raises `OperationFailedException` if there are any and the two are over different meshes.
    """
    if source is None or not source.unreduced_axes.data:
        return ()
    if wanted is None:
        return source.unreduced_axes.data
    return axes_without(unreduced_axes(source), unreduced_axes(wanted), _common_mesh(source, wanted, op))


def reduce_where_used(use: Use, wanted: TensorShardingAttr | None, at: InsertPoint) -> None:
    """`f(x)` -> `f(all_reduce(x))`, if `x` is unreduced along axes along which it is not `wanted` so."""
    source = sharding_of(operand_of(use))
    axes = axes_to_reduce(source, wanted, use.operation)
    if source is None or not axes:
        return
    mesh = lookup_mesh(source, use.operation)
    assert mesh is not None, "the axes have been found in it"
    reduced = TensorShardingAttr(
        source.mesh_or_ref,
        source.dim_shardings,
        source.replicated_axes,
        axes_without(unreduced_axes(source), axes, mesh),
        source.reduction_op.data,
    )
    all_reduce = AllReduceOp(operand_of(use), AxisRefListAttr(axes), reduced, source.reduction_op.data)
    Rewriter.insert_op(all_reduce, at)
    use.operation.operands[use.index] = all_reduce.result


# -- Becoming unreduced -----------------------------------------------------------------------------------------------


class BecomingUnreduced(NamedTuple):
    """How a tensor becomes unreduced along more axes: the steps that there are, in this order."""

    reshard: TensorShardingAttr | None
    """Where dimensions are sharded in another way, they first become what is wanted, or what is padded by the last."""
    forget: tuple[AxisRefs, TensorShardingAttr] | None
    """Along these axes the tensor is replicated: all devices but one forget it."""
    pad: tuple[Sequence[AxisRefs], TensorShardingAttr] | None
    """By these axes of each dimension the tensor is sharded: each device pads its part to the whole."""


def becoming_unreduced(
    source: TensorShardingAttr | None, wanted: TensorShardingAttr | None, op: Operation
) -> BecomingUnreduced | None:
    """
    How an operand of `op` becomes `wanted` which is unreduced along more axes than `source`; None if it is not.

    Raises `OperationFailedException` if it would have to be reduced along others, or if the meshes differ.
    """
    if source is None or wanted is None or not wanted.unreduced_axes.data:
        return None
    mesh = _common_mesh(source, wanted, op)
    added = axes_without(unreduced_axes(wanted), unreduced_axes(source), mesh)
    if not added:
        return None
    if dropped := axes_without(unreduced_axes(source), unreduced_axes(wanted), mesh):
        raise OperationFailedException(
            op,
            f"'{op.name}' op has an operand that is unreduced along {_listed(dropped)} and is to be unreduced along "
            f"{_listed(added)} instead: reduce it first",
        )
    dims: list[DimensionShardingAttr] = []
    padded: list[AxisRefs] = []
    misfits = False
    for before, after in zip(source.dim_shardings, wanted.dim_shardings, strict=True):
        rest = _rest(before.axes.data, after.axes.data, mesh)
        pads = bool(rest) and not axes_without(rest, added, mesh)
        padded.append(rest if rest and pads else ())
        dims.append(before if pads else after)
        misfits |= not pads and rest != ()
    by_padding = [axis for axes in padded for axis in axes]
    by_forgetting = axes_without(added, by_padding, mesh)
    reshard = TensorShardingAttr(
        source.mesh_or_ref, dims, source.replicated_axes, source.unreduced_axes, source.reduction_op.data
    )
    forgotten = TensorShardingAttr(
        source.mesh_or_ref,
        dims,
        wanted.replicated_axes,
        sorted_and_merged([*source.unreduced_axes, *by_forgetting], mesh),
        wanted.reduction_op.data,
    )
    return BecomingUnreduced(
        reshard if misfits else None,
        (by_forgetting, forgotten) if by_forgetting else None,
        (padded, wanted) if by_padding else None,
    )


def _rest(axes: AxisRefs, prefix: AxisRefs, mesh: MeshAttr) -> AxisRefs | None:
    """What `axes` has after `prefix`; None if they do not begin with it."""
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


def become_unreduced(use: Use, wanted: TensorShardingAttr | None, at: InsertPoint) -> TensorShardingAttr | None:
    """
    `f(x)` -> `f(sharded_to_unreduced(replicated_to_unreduced(reshard(x))))`, those of `becoming_unreduced`.

    Returns the sharding that the operand has now; None if nothing was to do.
    """
    steps = becoming_unreduced(sharding_of(operand_of(use)), wanted, use.operation)
    if steps is None:
        return None
    value, sharding = operand_of(use), wanted
    inserted: list[Operation] = []
    if steps.reshard is not None:
        inserted.append(ReshardOp(value, steps.reshard))
        value, sharding = inserted[-1].results[0], steps.reshard
    if steps.forget is not None:
        axes, sharding = steps.forget
        inserted.append(
            ReplicatedToUnreducedOp(
                operands=[value],
                properties={"axes": AxisRefListAttr(axes), "out_sharding": sharding},
                result_types=[value.type],
            )
        )
        value = inserted[-1].results[0]
    if steps.pad is not None:
        lists, sharding = steps.pad
        inserted.append(
            ShardedToUnreducedOp(
                operands=[value],
                properties={
                    "axes": ListOfAxisRefListsAttr([AxisRefListAttr(axes) for axes in lists]),
                    "out_sharding": sharding,
                },
                result_types=[value.type],
            )
        )
        value = inserted[-1].results[0]
    Rewriter.insert_op(inserted, at)
    use.operation.operands[use.index] = value
    return sharding


def _listed(axes: AxisRefs) -> str:
    return "{" + ", ".join(axis.text for axis in axes) + "}"
