"""The collectives of sdy, lowered to those of StableHLO between groups of devices."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import TensorType, i1, i64
from xdsl.ir import Attribute, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import dense_values
from xshardy.dialects.sdy import collectives as sdy
from xshardy.dialects.sdy.attributes.axes import AxisRefs, ListOfAxisRefListsAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import sharded_size
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.sharding.devices import exchange_pairs, shard_indices
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode, integers_of, reduction
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors, refuse


def axes_per_dim(lists: ListOfAxisRefListsAttr) -> Sequence[AxisRefs]:
    return [dimension.axes.data for dimension in lists.lists]


def _element(op: sdy.Collective) -> Attribute:
    return tensor_type(op.tensor).element_type


def _shape(op: sdy.Collective) -> Sequence[int]:
    """The shape of the operand of `op`, a part."""
    return tensor_type(op.tensor).get_shape()


def _permutation_to_front(dims: Iterable[int], rank: int) -> list[int]:
    """The permutation of `rank` dimensions that moves `dims` to the front."""
    moved = [*dims]
    return [*moved, *(dim for dim in range(rank) if dim not in moved)]


def _permutation_before(dims: Sequence[int], rank: int) -> list[int]:
    """The permutation that moves the first dimensions, one for each of `dims`, before these of the other `rank`."""
    places = {dim: [place] for place, dim in enumerate(dims)}
    return [place for dim in range(rank) for place in (*places.get(dim, ()), len(dims) + dim)]


def _split(shape: Sequence[int], factors: Mapping[int, int]) -> tuple[list[int], list[int]]:
    """`shape` with each dimension in `factors` split in two, the factor first; and the positions of the factors."""
    result: list[int] = []
    places: list[int] = []
    for dim, extent in enumerate(shape):
        if dim in factors:
            places.append(len(result))
            result += [factors[dim], extent // factors[dim]]
        else:
            result.append(extent)
    return result, places


def _is_empty(op: sdy.Collective) -> bool:
    """Whether there is nothing to move. StableHLO gathers and scatters no dimension without elements."""
    return 0 in _shape(op)


def _reshaped(op: sdy.Collective, code: DeviceCode) -> SSAValue:
    """The empty operand of `op` in the shape of its result."""
    return code.reshaped(op.tensor, tensor_type(op.result).get_shape(), _element(op))


class GatherBetweenDevices(LocalPattern[sdy.AllGatherOp, Mapping[int, AxisRefs]]):
    """
    `sdy.all_gather [{"x"}, {}] %x` -> `stablehlo.all_gather %x`, along the dimension, between the devices along "x".

    Several dimensions are gathered one by one, from the last to the first; or all at once, along a new dimension.
    An empty part is reshaped: the other devices have nothing either.

    Refuses: a gather along no axis.
    """

    checks_shardings = True

    @staticmethod
    def decide(op: sdy.AllGatherOp, before: WholeTensors) -> Mapping[int, AxisRefs]:
        """The axes of each dimension that is gathered."""
        gathered = {dim: axes for dim, axes in enumerate(axes_per_dim(op.gathering_axes)) if axes}
        if not gathered:
            raise refuse(op, "gathers along no axis: remove it")
        return gathered

    def rewrite(self, op: sdy.AllGatherOp, decision: Mapping[int, AxisRefs], code: DeviceCode) -> None:
        if _is_empty(op):
            gathered = _reshaped(op, code)
        elif self.options.per_dim_all_gather or len(decision) == 1:
            gathered = _gather_per_dim(op, decision, code)
        else:
            gathered = _gather_at_once(op, decision, code)
        code.replace(op, gathered)


def _gather(
    op: sdy.AllGatherOp, tensor: SSAValue, dim: int, axes: AxisRefs, shape: Sequence[int], code: DeviceCode
) -> SSAValue:
    """`tensor` gathered to `shape`."""
    groups = code.groups(axes, op.mesh, op.out_sharding.mesh_or_ref)
    type = TensorType(_element(op), shape)
    return code.insert(stablehlo.AllGatherOp([tensor], dim, groups, [type], code.channels.take(), True))


def _gather_per_dim(op: sdy.AllGatherOp, gathered: Mapping[int, AxisRefs], code: DeviceCode) -> SSAValue:
    shape, tensor = [*_shape(op)], op.tensor
    for dim, axes in reversed([*gathered.items()]):
        shape[dim] *= sharded_size(axes, op.mesh)
        tensor = _gather(op, tensor, dim, axes, shape, code)
    return tensor


def _gather_at_once(op: sdy.AllGatherOp, gathered: Mapping[int, AxisRefs], code: DeviceCode) -> SSAValue:
    """
    Gather the parts along a new first dimension; then split that dimension, and merge each piece into its own
    dimension.
    """
    shape, element = _shape(op), _element(op)
    factors = {dim: sharded_size(axes, op.mesh) for dim, axes in gathered.items()}
    parts = code.reshaped(op.tensor, [1, *shape], element)
    all_axes = [axis for axes in gathered.values() for axis in axes]
    parts = _gather(op, parts, 0, all_axes, [prod(factors.values()), *shape], code)
    parts = code.reshaped(parts, [*factors.values(), *shape], element)
    parts = code.insert(stablehlo.TransposeOp(parts, _permutation_before([*factors], len(shape))))
    return code.reshaped(parts, [extent * factors.get(dim, 1) for dim, extent in enumerate(shape)], element)


class ReduceBetweenDevices(LocalPattern[sdy.AllReduceOp, AxisRefs]):
    """`sdy.all_reduce {"x"} %x` -> `stablehlo.all_reduce %x`, between the devices along "x"."""

    checks_shardings = True

    @staticmethod
    def decide(op: sdy.AllReduceOp, before: WholeTensors) -> AxisRefs:
        return op.reduction_axes.axes.data

    def rewrite(self, op: sdy.AllReduceOp, decision: AxisRefs, code: DeviceCode) -> None:
        code.replace(op, _reduce(op, decision, op.out_sharding, code))


def _reduce(op: sdy.Reduction, axes: AxisRefs, sharding: TensorShardingAttr, code: DeviceCode) -> SSAValue:
    """The operand of `op` reduced along `axes` of the mesh of `sharding`."""
    groups = code.groups(axes, op.mesh, sharding.mesh_or_ref)
    body = reduction(op.reduction, _element(op))
    return code.insert(stablehlo.AllReduceOp([op.tensor], groups, body, code.channels.take(), True))


class TakeOwnPart(LocalPattern[sdy.AllSliceOp, Sequence[AxisRefs]]):
    """
    `sdy.all_slice [{"x"}, {}] %x` -> `dynamic_slice %x`: each device takes its part of its operand.

    Refuses: a slice of a tensor that one device has, over a maximal mesh.
    """

    checks_shardings = True

    @staticmethod
    def decide(op: sdy.AllSliceOp, before: WholeTensors) -> Sequence[AxisRefs]:
        if op.mesh.is_maximal:
            raise refuse(op, "slices along no axis: remove it")
        return axes_per_dim(op.slicing_axes)

    def rewrite(self, op: sdy.AllSliceOp, decision: Sequence[AxisRefs], code: DeviceCode) -> None:
        code.replace(op, code.part(op.tensor, decision, op.mesh, tensor_type(op.result).get_shape()))


@dataclass(frozen=True, slots=True)
class AllToAllDims:
    """The dimensions of an all-to-all between the devices along `axes`."""

    sources: Mapping[int, int]
    """For each dimension that becomes sharded, the dimension that was sharded before."""
    factors: Mapping[int, int]
    """For each dimension that becomes sharded, the number of its parts."""
    axes: AxisRefs

    @property
    def count(self) -> int:
        """How many devices exchange parts."""
        return prod(self.factors.values())


class ExchangeBetweenDevices(LocalPattern[sdy.AllToAllOp, AllToAllDims]):
    """
    `sdy.all_to_all [{"x"}: 0->1] %x` -> `stablehlo.all_to_all %x`, between the devices along "x".

    All pairs of dimensions are exchanged by one operation; several pairs along a new dimension.

    Refuses: a pair of dimensions along no axis.
    """

    checks_shardings = True

    @staticmethod
    def decide(op: sdy.AllToAllOp, before: WholeTensors) -> AllToAllDims:
        params = sorted(op.params.params.data, key=lambda param: param.tgt_dim.data)
        if not all(param.axes.data for param in params):
            raise refuse(op, "failed to resolve axes: one of its parameters has none; leave that out")
        factors = {param.tgt_dim.data: sharded_size(param.axes.data, op.mesh) for param in params}
        sources = {param.tgt_dim.data: param.src_dim.data for param in params}
        return AllToAllDims(sources, factors, tuple(axis for param in params for axis in param.axes.data))

    def rewrite(self, op: sdy.AllToAllOp, decision: AllToAllDims, code: DeviceCode) -> None:
        if len(decision.sources) == 1:
            ((target, source),) = decision.sources.items()
            code.replace(op, _exchange(op, op.tensor, target, source, decision, code))
        else:
            code.replace(op, _exchange_at_once(op, decision, code))


def _exchange(
    op: sdy.AllToAllOp, tensor: SSAValue, split: int, concatenated: int, exchange: AllToAllDims, code: DeviceCode
) -> SSAValue:
    """`tensor` split along one dimension, with the parts of other devices along another."""
    groups = code.groups(exchange.axes, op.mesh, op.out_sharding.mesh_or_ref)
    channel = code.channels.take()
    return code.insert(stablehlo.AllToAllOp([tensor], split, concatenated, exchange.count, groups, channel))


def _exchange_at_once(op: sdy.AllToAllOp, exchange: AllToAllDims, code: DeviceCode) -> SSAValue:
    """
    Exchange parts along a new first dimension; then split that dimension, and merge each piece into its source
    dimension.
    """
    element, shape = _element(op), _shape(op)
    split, places = _split(shape, exchange.factors)
    parts = code.reshaped(op.tensor, split, element)
    parts = code.insert(stablehlo.TransposeOp(parts, _permutation_to_front(places, len(split))))
    in_front = tensor_type(parts).get_shape()
    rest = in_front[len(places) :]
    parts = _exchange(op, code.reshaped(parts, [exchange.count, *rest], element), 0, 0, exchange, code)
    parts = code.reshaped(parts, in_front, element)
    parts = code.insert(stablehlo.TransposeOp(parts, _permutation_before([*exchange.sources.values()], len(shape))))
    return code.reshaped(parts, tensor_type(op.result).get_shape(), element)


class SendToDevices(LocalPattern[sdy.CollectivePermuteOp, Sequence[tuple[int, int]]]):
    """
    `sdy.collective_permute %x` -> `stablehlo.collective_permute %x`: each device sends its part to its new place.

    Refuses: an operand that is sharded as the result is.
    """

    checks_shardings = True

    @staticmethod
    def decide(op: sdy.CollectivePermuteOp, before: WholeTensors) -> Sequence[tuple[int, int]]:
        """Pairs of a device and the device that receives its part."""
        (operand,) = before.operands
        if operand.sharding is None or operand.sharding == op.out_sharding:
            raise refuse(op, "changes nothing: remove it")
        return exchange_pairs(operand.sharding, operand.mesh, op.out_sharding, op.mesh)

    def rewrite(self, op: sdy.CollectivePermuteOp, decision: Sequence[tuple[int, int]], code: DeviceCode) -> None:
        flat = [device for pair in decision for device in pair]
        table = integers_of(TensorType(i64, [len(decision), 2]), flat)
        code.replace(op, code.insert(stablehlo.CollectivePermuteOp(op.tensor, table, code.channels.take())))


@dataclass(frozen=True, slots=True)
class Scattering:
    """The axes of each dimension that a reduction is scattered along, and the sharding of the operand."""

    axes_by_dim: Mapping[int, AxisRefs]
    sharding: TensorShardingAttr

    @property
    def axes(self) -> AxisRefs:
        """All axes."""
        return tuple(axis for axes in self.axes_by_dim.values() for axis in axes)


class ReduceAndScatterBetweenDevices(LocalPattern[sdy.ReduceScatterOp, Scattering]):
    """
    `sdy.reduce_scatter [{"x"}, {}] %x` -> `stablehlo.reduce_scatter %x`, between the devices along "x".

    StableHLO scatters one dimension. Several are reduced and then sliced, or scattered along a new dimension. An empty
    operand is reshaped.

    Refuses: a scatter along no axis.
    """

    checks_shardings = True

    @staticmethod
    def decide(op: sdy.ReduceScatterOp, before: WholeTensors) -> Scattering:
        scattered = {dim: axes for dim, axes in enumerate(axes_per_dim(op.reduce_scatter_axes)) if axes}
        if not scattered:
            raise refuse(op, "scatters along no axis: remove it")
        return Scattering(scattered, before.operands[0].sharding or op.out_sharding)

    def rewrite(self, op: sdy.ReduceScatterOp, decision: Scattering, code: DeviceCode) -> None:
        if _is_empty(op):
            part = _reshaped(op, code)
        elif len(decision.axes_by_dim) == 1:
            (dim,) = decision.axes_by_dim
            part = _scatter(op, op.tensor, dim, op.result.type, decision, code)
        elif self.options.combine_multi_dimension_reduce_scatter:
            part = _scatter_at_once(op, decision, code)
        else:
            reduced = _reduce(op, decision.axes, decision.sharding, code)
            shape = tensor_type(op.result).get_shape()
            part = code.part(reduced, axes_per_dim(op.reduce_scatter_axes), op.mesh, shape)
        code.replace(op, part)


class KeepOnFirstDevice(LocalPattern[sdy.ReplicatedToUnreducedOp, Sequence[bool]]):
    """
    `sdy.replicated_to_unreduced {"x"} %x` -> `select(is_first, %x, 0)`: of the devices along "x", one keeps its copy.

    The decision: which devices do.
    """

    checks_shardings = True

    @staticmethod
    def decide(op: sdy.ReplicatedToUnreducedOp, before: WholeTensors) -> Sequence[bool]:
        return [index == 0 for index in shard_indices(op.axes.axes.data, op.mesh)]

    def rewrite(self, op: sdy.ReplicatedToUnreducedOp, decision: Sequence[bool], code: DeviceCode) -> None:
        table = dense_values(TensorType(i1, [len(decision)]), decision)
        is_first = code.reshaped(code.entry(table, code.device_id()), [], i1)
        code.replace(op, code.insert(stablehlo.SelectOp(is_first, op.tensor, code.zeros(tensor_type(op.tensor)))))


class PlacePartAmongZeros(LocalPattern[sdy.ShardedToUnreducedOp, Sequence[AxisRefs]]):
    """`sdy.sharded_to_unreduced [{"x"}, {}] %x` -> `dynamic_update_slice(0, %x)`: each part in its place."""

    checks_shardings = True

    @staticmethod
    def decide(op: sdy.ShardedToUnreducedOp, before: WholeTensors) -> Sequence[AxisRefs]:
        return axes_per_dim(op.axes)

    def rewrite(self, op: sdy.ShardedToUnreducedOp, decision: Sequence[AxisRefs], code: DeviceCode) -> None:
        starts = [
            code.shard_offset(axes, op.mesh, extent) if axes else code.integer(0)
            for axes, extent in zip(decision, _shape(op), strict=True)
        ]
        update = stablehlo.DynamicUpdateSliceOp(code.zeros(tensor_type(op.result)), op.tensor, starts)
        code.replace(op, code.insert(update))


def _scatter(
    op: sdy.ReduceScatterOp, tensor: SSAValue, dim: int, type: Attribute, scattering: Scattering, code: DeviceCode
) -> SSAValue:
    """`tensor` reduced, and the part of the device along `dim`, of `type`."""
    channel = code.channels.take()
    groups = code.groups(scattering.axes, op.mesh, scattering.sharding.mesh_or_ref)
    body = reduction(op.reduction, _element(op))
    return code.insert(stablehlo.ReduceScatterOp(tensor, dim, groups, body, type, channel, True))


def _scatter_at_once(op: sdy.ReduceScatterOp, scattering: Scattering, code: DeviceCode) -> SSAValue:
    """Move the parts of all devices to a new first dimension, and scatter that dimension."""
    element, type = _element(op), tensor_type(op.result)
    factors = {dim: sharded_size(axes, op.mesh) for dim, axes in scattering.axes_by_dim.items()}
    split, places = _split(_shape(op), factors)
    parts = code.reshaped(op.tensor, split, element)
    parts = code.insert(stablehlo.TransposeOp(parts, _permutation_to_front(places, len(split))))
    parts = code.reshaped(parts, [prod(factors.values()), *type.get_shape()], element)
    part = _scatter(op, parts, 0, TensorType(element, [1, *type.get_shape()]), scattering, code)
    return code.reshaped(part, type.get_shape(), element)
