"""The collectives of sdy, as those of StableHLO between groups of devices."""

from collections.abc import Iterable, Sequence
from math import prod

from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import Rewriter

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy import collectives as sdy
from xshardy.dialects.sdy.attributes.axes import AxisRefs, ListOfAxisRefListsAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import sharded_size
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.sdy_export.local.before import Before, Rewrite, refuse
from xshardy.transforms.sdy_export.local.devices import exchange_pairs
from xshardy.transforms.sdy_export.local.writer import LocalWriter, integers_of, reduction


def axes_per_dim(lists: ListOfAxisRefListsAttr) -> Sequence[AxisRefs]:
    return [of_dim.axes.data for of_dim in lists.lists]


def _replace(op: sdy.Collective, by: SSAValue) -> None:
    Rewriter.replace_op(op, [], [by])


def _element(op: sdy.Collective) -> Attribute:
    return tensor_type(op.tensor).element_type


def _shape(op: sdy.Collective) -> Sequence[int]:
    """The shape of the part that goes into `op`."""
    return tensor_type(op.tensor).get_shape()


def _in_front(dims: Iterable[int], rank: int) -> list[int]:
    """The permutation of `rank` dimensions that moves `dims` to the front."""
    moved = [*dims]
    return [*moved, *(dim for dim in range(rank) if dim not in moved)]


def _split(shape: Sequence[int], factors: dict[int, int]) -> tuple[list[int], list[int]]:
    """`shape` with each dimension that has a factor split in two, the factor first; and where the factors are."""
    result: list[int] = []
    places: list[int] = []
    for dim, extent in enumerate(shape):
        if dim in factors:
            places.append(len(result))
            result += [factors[dim], extent // factors[dim]]
        else:
            result.append(extent)
    return result, places


def all_gather(op: sdy.AllGatherOp, before: Before) -> Rewrite | None:
    """One gather for each dimension, from the last to the first; or a single one, whose parts are put in place."""
    gathered = {dim: axes for dim, axes in enumerate(axes_per_dim(op.gathering_axes)) if axes}
    if not gathered:
        raise refuse(op, "gathers along no axis: let sdy-canonicalize-collectives remove it")

    def rewrite(writer: LocalWriter) -> None:
        one_by_one = writer.options.per_dim_all_gather or len(gathered) == 1
        _replace(op, (_gather_per_dim if one_by_one else _gather_at_once)(op, gathered, writer))

    return rewrite


def _gather(
    op: sdy.AllGatherOp, tensor: SSAValue, dim: int, axes: AxisRefs, shape: Sequence[int], writer: LocalWriter
) -> SSAValue:
    """`tensor` gathered to `shape`."""
    groups = writer.groups(axes, op.mesh, op.out_sharding.mesh_or_ref)
    type = TensorType(_element(op), shape)
    return writer.insert(stablehlo.AllGatherOp([tensor], dim, groups, [type], writer.channel(), True))


def _gather_per_dim(op: sdy.AllGatherOp, gathered: dict[int, AxisRefs], writer: LocalWriter) -> SSAValue:
    shape, tensor = [*_shape(op)], op.tensor
    for dim, axes in reversed(gathered.items()):
        shape[dim] *= sharded_size(axes, op.mesh)
        tensor = _gather(op, tensor, dim, axes, shape, writer)
    return tensor


def _gather_at_once(op: sdy.AllGatherOp, gathered: dict[int, AxisRefs], writer: LocalWriter) -> SSAValue:
    """The parts along a new first dimension, which is split into one for each that they belong to."""
    shape, element = _shape(op), _element(op)
    factors = {dim: sharded_size(axes, op.mesh) for dim, axes in gathered.items()}
    parts = writer.reshaped(op.tensor, [1, *shape], element)
    all_axes = [axis for axes in gathered.values() for axis in axes]
    parts = _gather(op, parts, 0, all_axes, [prod(factors.values()), *shape], writer)
    parts = writer.reshaped(parts, [*factors.values(), *shape], element)
    order = {dim: place for place, dim in enumerate(factors)}
    permutation = [
        place for dim in range(len(shape)) for place in ([order[dim]] if dim in order else []) + [len(factors) + dim]
    ]
    parts = writer.insert(stablehlo.TransposeOp(parts, permutation))
    return writer.reshaped(parts, [extent * factors.get(dim, 1) for dim, extent in enumerate(shape)], element)


def all_reduce(op: sdy.AllReduceOp, before: Before) -> Rewrite | None:
    """A reduction between the devices along the axes."""

    def rewrite(writer: LocalWriter) -> None:
        axes = op.reduction_axes.axes.data
        _replace(op, _reduce(op, axes, op.out_sharding, writer))

    return rewrite


def _reduce(op: sdy.Reduction, axes: AxisRefs, sharding: TensorShardingAttr, writer: LocalWriter) -> SSAValue:
    """The operand of `op` reduced along `axes` of the mesh of `sharding`."""
    groups = writer.groups(axes, op.mesh, sharding.mesh_or_ref)
    body = reduction(op.reduction, _element(op))
    return writer.insert(stablehlo.AllReduceOp([op.tensor], groups, body, writer.channel(), True))


def all_slice(op: sdy.AllSliceOp, before: Before) -> Rewrite | None:
    """Each device takes its part of what it has."""

    def rewrite(writer: LocalWriter) -> None:
        shape = tensor_type(op.result).get_shape()
        _replace(op, writer.part(op.tensor, axes_per_dim(op.slicing_axes), op.mesh, shape))

    return rewrite


def all_to_all(op: sdy.AllToAllOp, before: Before) -> Rewrite | None:
    """An exchange between the devices along the axes; one for all pairs of dimensions, through a new dimension."""
    params = sorted(op.params.params.data, key=lambda param: param.tgt_dim.data)
    moves = {param.tgt_dim.data: (param.src_dim.data, param.axes.data) for param in params}
    if not all(axes for _, axes in moves.values()):
        raise refuse(op, "failed to resolve axes: one of its parameters has none; leave that out")
    shape, mesh = before.operands[0].local.get_shape(), op.mesh
    factors = {target: sharded_size(axes, mesh) for target, (_, axes) in moves.items()}
    if any(shape[dim] % factor for dim, factor in factors.items()):
        raise refuse(op, "dimension not divisible by num devices per group")
    axes = [axis for _, of_dim in moves.values() for axis in of_dim]
    count = prod(factors.values())

    def exchange(tensor: SSAValue, split: int, concatenated: int, writer: LocalWriter) -> SSAValue:
        groups = writer.groups(axes, mesh, op.out_sharding.mesh_or_ref)
        return writer.insert(stablehlo.AllToAllOp([tensor], split, concatenated, count, groups, writer.channel()))

    def between_two(writer: LocalWriter) -> None:
        ((target, (source, _)),) = moves.items()
        _replace(op, exchange(op.tensor, target, source, writer))

    def between_many(writer: LocalWriter) -> None:
        element, rank = _element(op), len(shape)
        split, places = _split(shape, factors)
        parts = writer.reshaped(op.tensor, split, element)
        parts = writer.insert(stablehlo.TransposeOp(parts, _in_front(places, len(split))))
        in_front = tensor_type(parts).get_shape()
        rest = in_front[len(places) :]
        parts = exchange(writer.reshaped(parts, [count, *rest], element), 0, 0, writer)
        parts = writer.reshaped(parts, in_front, element)
        came_from = {source: place for place, (source, _) in enumerate(moves.values())}
        permutation = [
            place
            for dim in range(rank)
            for place in ([came_from[dim]] if dim in came_from else []) + [len(places) + dim]
        ]
        parts = writer.insert(stablehlo.TransposeOp(parts, permutation))
        _replace(op, writer.reshaped(parts, tensor_type(op.result).get_shape(), element))

    return between_two if len(moves) == 1 else between_many


def collective_permute(op: sdy.CollectivePermuteOp, before: Before) -> Rewrite | None:
    """Each device sends its part to the one that is to have it."""
    (operand,) = before.operands
    if operand.sharding is None or operand.sharding == op.out_sharding:
        raise refuse(op, "changes nothing: let sdy-canonicalize-collectives remove it")
    in_sharding, in_mesh, out_mesh = operand.sharding, operand.mesh, op.mesh
    if in_mesh.device_count != out_mesh.device_count:
        raise refuse(op, "collective-permute between meshes of different sizes is not supported.")

    def rewrite(writer: LocalWriter) -> None:
        pairs = exchange_pairs(in_sharding, in_mesh, op.out_sharding, out_mesh)
        flat = [device for pair in pairs for device in pair]
        table = integers_of(TensorType(i64, [len(pairs), 2]), flat)
        _replace(op, writer.insert(stablehlo.CollectivePermuteOp(op.tensor, table, writer.channel())))

    return rewrite


def reduce_scatter(op: sdy.ReduceScatterOp, before: Before) -> Rewrite | None:
    """
    A reduction of which each device gets its part.

    StableHLO scatters one dimension: for more, all of it is reduced and then sliced, or a new dimension is scattered.
    """
    scattered = {dim: axes for dim, axes in enumerate(axes_per_dim(op.reduce_scatter_axes)) if axes}
    if not scattered:
        raise refuse(op, "scatters along no axis: let sdy-canonicalize-collectives remove it")
    sharding = before.operands[0].sharding or op.out_sharding
    axes = [axis for of_dim in scattered.values() for axis in of_dim]

    def scatter(tensor: SSAValue, dim: int, type: Attribute, writer: LocalWriter) -> SSAValue:
        channel = writer.channel()
        groups = writer.groups(axes, op.mesh, sharding.mesh_or_ref)
        body = reduction(op.reduction, _element(op))
        return writer.insert(stablehlo.ReduceScatterOp(tensor, dim, groups, body, type, channel, True))

    def one_dimension(writer: LocalWriter) -> None:
        (dim,) = scattered
        _replace(op, scatter(op.tensor, dim, op.result.type, writer))

    def at_once(writer: LocalWriter) -> None:
        element, type = _element(op), tensor_type(op.result)
        factors = {dim: sharded_size(of_dim, op.mesh) for dim, of_dim in scattered.items()}
        split, places = _split(_shape(op), factors)
        parts = writer.reshaped(op.tensor, split, element)
        parts = writer.insert(stablehlo.TransposeOp(parts, _in_front(places, len(split))))
        parts = writer.reshaped(parts, [prod(factors.values()), *type.get_shape()], element)
        part = scatter(parts, 0, TensorType(element, [1, *type.get_shape()]), writer)
        _replace(op, writer.reshaped(part, type.get_shape(), element))

    def reduced_then_sliced(writer: LocalWriter) -> None:
        reduced = _reduce(op, axes, sharding, writer)
        shape = tensor_type(op.result).get_shape()
        _replace(op, writer.part(reduced, axes_per_dim(op.reduce_scatter_axes), op.mesh, shape))

    def rewrite(writer: LocalWriter) -> None:
        combine = writer.options.combine_multi_dimension_reduce_scatter
        (one_dimension if len(scattered) == 1 else at_once if combine else reduced_then_sliced)(writer)

    return rewrite
