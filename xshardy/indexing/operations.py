"""
The elements of its operands that an operation reads to compute one element of its result, and the reverse.

A map to an operand goes from the indices of the result. Its domain contains the indices of the result at which the
operand is read: `pad` and `concatenate` read each operand at some of them only. Range variables number several
elements; runtime variables stand for values known only at run time. Source: rows XGPU-15, XGPU-16, XGPU-50; XLA
indexing docs, "Indexing Maps for Unfused Ops".
"""

from collections.abc import Callable, Mapping
from functools import cache
from math import prod
from typing import NamedTuple

from xdsl.ir import Operation

from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.shapes import shape_of
from xshardy.indexing import contractions, lookups, movement, reductions, scatters
from xshardy.indexing.tensor_maps import (
    Maps,
    scalar_operand_map,
    scalar_result_map,
)


def elementwise(op: Operation) -> Maps:
    """The identity, for every operand."""
    return ((IndexingMap.identity(shape_of(op.results[0])),),) * len(op.operands)


def _elementwise_or_scalar(op: Operation, scalar: IndexingMap) -> Maps:
    """Elementwise, except that a scalar operand, used for every element, gets the map `scalar`."""
    shape = shape_of(op.results[0])
    identity = IndexingMap.identity(shape)
    return tuple((identity if shape_of(operand) == shape else scalar,) for operand in op.operands)


def _scalars_operand(op: Operation) -> Maps:
    return _elementwise_or_scalar(op, scalar_operand_map(op.results[0]))


def _scalars_result(op: Operation) -> Maps:
    return _elementwise_or_scalar(op, scalar_result_map(op.results[0]))


class Relation(NamedTuple):
    """The relation between the indices of results and operands: maps to each operand, and from each."""

    to_operands: Callable[..., Maps]
    from_operands: Callable[..., Maps]


IDENTITY = Relation(elementwise, elementwise)
OR_SCALAR = Relation(_scalars_operand, _scalars_result)

RELATIONS: Mapping[type[Operation], Relation] = {
    hlo.BitcastOp: Relation(movement.bitcast_operand, movement.bitcast_result),
    stablehlo.BitcastConvertOp: Relation(movement.bitcast_convert_operand, movement.bitcast_convert_result),
    stablehlo.BroadcastInDimOp: Relation(movement.broadcast_operand, movement.broadcast_result),
    stablehlo.ClampOp: OR_SCALAR,
    stablehlo.ConcatenateOp: Relation(movement.concatenate_operand, movement.concatenate_result),
    stablehlo.ConvolutionOp: Relation(contractions.convolution_operand, contractions.convolution_result),
    stablehlo.DotGeneralOp: Relation(contractions.dot_operand, contractions.dot_result),
    stablehlo.DynamicSliceOp: Relation(lookups.dynamic_slice_operand, lookups.dynamic_slice_result),
    stablehlo.DynamicUpdateSliceOp: Relation(lookups.dynamic_update_slice_operand, lookups.dynamic_update_slice_result),
    stablehlo.GatherOp: Relation(lookups.gather_operand, lookups.gather_result),
    stablehlo.MapOp: IDENTITY,
    stablehlo.PadOp: Relation(movement.pad_operand, movement.pad_result),
    stablehlo.ReduceOp: Relation(reductions.reduce_operand, reductions.reduce_result),
    stablehlo.ReduceWindowOp: Relation(reductions.reduce_window_operand, reductions.reduce_window_result),
    stablehlo.ReshapeOp: Relation(movement.reshape_operand, movement.reshape_result),
    stablehlo.ReverseOp: Relation(movement.reverse, movement.reverse),
    stablehlo.ScatterOp: Relation(scatters.scatter_operand, scatters.scatter_result),
    stablehlo.SelectOp: OR_SCALAR,
    stablehlo.SliceOp: Relation(movement.slice_operand, movement.slice_result),
    stablehlo.TransposeOp: Relation(movement.transpose_operand, movement.transpose_result),
}
"""One row per operation that is not `Elementwise`, or that accepts scalar operands."""


@cache
def _relation_of_kind(kind: type[Operation]) -> Relation | None:
    """The relation of the operations of a class."""
    return RELATIONS.get(kind) or (IDENTITY if kind.has_trait(Elementwise, value_if_unregistered=False) else None)


def relation_of(op: Operation) -> Relation:
    """The row of `op`. Raises `NotImplementedError` if it is neither elementwise nor in the table."""
    if (relation := _relation_of_kind(type(op))) is None:
        raise NotImplementedError(f"no indexing maps for {op.name}: add a row to RELATIONS")
    return relation


def has_maps(op: Operation) -> bool:
    """Whether `operand_maps` and `result_maps` support `op`: no bitcast to elements of another width."""
    if isinstance(op, hlo.BitcastOp) and prod(shape_of(op.operand)) != prod(shape_of(op.result)):
        return False
    return not op.operands or _relation_of_kind(type(op)) is not None


def operand_maps(op: Operation) -> Maps:
    """
    For each operand of `op`, the maps at which it is read.

    All results of a variadic operation have one shape and depend on the same elements. Raises `NotImplementedError` if
    `op` is neither elementwise nor in the table.
    """
    return relation_of(op).to_operands(op) if op.operands else ()


def result_maps(op: Operation) -> Maps:
    """For each operand of `op`, the maps from its indices to those of the result. Otherwise as `operand_maps`."""
    return relation_of(op).from_operands(op) if op.operands else ()
