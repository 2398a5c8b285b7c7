"""Gathers and scatters: between a tensor and slices of it, one slice for each index vector."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Operation

from xshardy.dialects.stablehlo.control_flow import ReturnOp
from xshardy.dialects.stablehlo.elementwise_binary import AddOp, AndOp, MaxOp, MinOp, MulOp, OrOp
from xshardy.dialects.stablehlo.gather import GatherOp
from xshardy.dialects.stablehlo.scatter import ScatterOp
from xshardy.dialects.stablehlo.slice_dims import SliceDims
from xshardy.sharding.rules.builder import Dim, Factor, Factors, FactorType, Row, Shape, Shapes

COMBINERS = (AddOp, MulOp, MaxOp, MinOp)
"""Associative and commutative operations, so that devices can scatter their own updates and combine the results."""

LOGICAL_COMBINERS = (AndOp, OrOp)
"""The same, for booleans only."""


class Scatter(NamedTuple):
    """Its dimensions, and whether updates of one element can be combined in any order."""

    numbers: SliceDims
    combines: bool


class Loop(NamedTuple):
    """A factor, by the dimension that it walks in the tensor, in the indices, and in the slices."""

    tensor: Dim
    indices: Dim
    slices: Dim
    size: int
    type: FactorType = FactorType.PASS_THROUGH
    blocked: bool = False


@dataclass(frozen=True, slots=True)
class Correspondence:
    """How the dimensions of a tensor, of indices into it, and of its slices correspond."""

    tensor: Shape
    indices: Shape
    slices: Shape
    numbers: SliceDims

    def batch(self, position: int) -> tuple[int, Dim]:
        """The dimension of the indices, and that of the tensor if there is one, of the batch dimension `position`."""
        numbers = self.numbers
        dim = position if position < numbers.index_vector else position + 1
        return dim, dict(zip(numbers.index_batching, numbers.batching, strict=True)).get(dim)


PartialWindow = Callable[[int, int, int, int], Iterator[Loop]]
"""
The loops where slices have part of a dimension.

From the dimension of the tensor and that of the slices, the size of the dimension and that of a slice.
"""


def loops(
    of: Correspondence, partial: PartialWindow, implicit_batch: FactorType, collapsed: Callable[[int], FactorType]
) -> Iterator[Loop]:
    """
    The loops of a gather or scatter, in the order of the dimensions of the slices; then those that slices lack.

    `implicit_batch` is the type of a batch dimension that the tensor lacks, and `collapsed` gives that of a dimension
    that slices lack, by its size.
    """
    tensor_of = {slices: tensor for tensor, slices in of.numbers.offset_of(len(of.tensor)).items()}
    batches = iter(range(len(of.slices)))
    for dim, size in enumerate(of.slices):
        if dim not in tensor_of:
            indices, tensor = of.batch(next(batches))
            yield Loop(tensor, indices, dim, size, implicit_batch if tensor is None else FactorType.PASS_THROUGH)
            continue
        tensor = tensor_of[dim]
        whole = of.tensor[tensor]
        if whole == size:
            yield Loop(tensor, None, dim, size)
        else:
            yield from partial(tensor, dim, whole, size)
    for dim in of.numbers.collapsed:
        yield Loop(dim, None, None, of.tensor[dim], collapsed(of.tensor[dim]))
    dim = of.numbers.index_vector
    if dim < len(of.indices):  # else indices are scalars
        yield Loop(None, dim, None, of.indices[dim], FactorType.NEED_REPLICATION)


def gathered_part(tensor: int, slices: int, whole: int, size: int) -> Iterator[Loop]:
    """Single elements are summed up over the devices, of which one has each; else the dimension is needed whole."""
    if size == 1:
        yield Loop(tensor, None, None, whole, FactorType.REDUCTION)
        yield Loop(None, None, slices, size, FactorType.NEED_REPLICATION)
    else:
        yield Loop(tensor, None, slices, whole, FactorType.NEED_REPLICATION, blocked=True)


def scattered_part(tensor: int, slices: int, whole: int, size: int) -> Iterator[Loop]:
    """Both the dimension and the updates are needed whole."""
    yield Loop(tensor, None, None, whole, FactorType.NEED_REPLICATION)
    yield Loop(None, None, slices, size, FactorType.NEED_REPLICATION)


def gather(shapes: Shapes, numbers: SliceDims) -> Factors:
    """
    `([m, k], [i, j, n])->([i, j, k]) reduction={m} need_replication={n}`, where `m` is collapsed.

    Along a sharded collapsed dimension one device has each element. There is nothing to shard in one of size 1.
    """

    def collapsed(size: int) -> FactorType:
        return FactorType.NEED_REPLICATION if size == 1 else FactorType.REDUCTION

    (tensor, indices), (slices,) = shapes.operands, shapes.results
    of = Correspondence(tensor, indices, slices, numbers)
    for loop in loops(of, gathered_part, FactorType.PASS_THROUGH, collapsed):
        yield Factor((loop.tensor, loop.indices), (loop.slices,), loop.size, loop.type, loop.blocked)


def scatter(shapes: Shapes, parameters: Scatter) -> Factors:
    """
    `([m, k], [i, j, n], [i, j, k])->([m, k]) reduction={i, j} need_replication={n}`, where `m` is inserted.

    If the updates are sharded, each device scatters its own and the results are combined, where they can be.
    """
    count = len(shapes.results)
    of = Correspondence(shapes.operands[0], shapes.operands[count], shapes.operands[count + 1], parameters.numbers)
    implicit_batch = FactorType.REDUCTION if parameters.combines else FactorType.NEED_REPLICATION
    for loop in loops(of, scattered_part, implicit_batch, lambda size: FactorType.PASS_THROUGH):
        operand_dims = [*[loop.tensor] * count, loop.indices, *[loop.slices] * count]
        yield Factor(operand_dims, [loop.tensor] * count, loop.size, loop.type, loop.blocked)


def _gather_dims(op: GatherOp) -> SliceDims:
    return op.dimension_numbers.dims


def _scatter(op: ScatterOp) -> Scatter:
    return Scatter(op.scatter_dimension_numbers.dims, combiner_of(op) is not None)


def combiner_of(op: ScatterOp) -> type[Operation] | None:
    """The one kind of combiner whose results the region of `op` returns; None if it returns anything else."""
    block = op.update_computation.block
    if len(block.args) != 2 * len(op.inputs) or not isinstance(block.last_op, ReturnOp):
        return None
    owners = [value.owner for value in block.last_op.operands]
    kinds = {type(owner) if isinstance(owner, Operation) and _is_combiner(owner) else None for owner in owners}
    return kinds.pop() if len(owners) == len(op.inputs) and len(kinds) == 1 else None


def _is_combiner(owner: Operation | Block) -> bool:
    if isinstance(owner, LOGICAL_COMBINERS):
        return owner.result.type.element_type == i1
    return isinstance(owner, COMBINERS)


RULES: Mapping[type[Operation], Row] = {
    GatherOp: Row(gather, _gather_dims),
    ScatterOp: Row(scatter, _scatter),
}
