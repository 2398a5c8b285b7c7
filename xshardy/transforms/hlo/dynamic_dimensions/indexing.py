"""Gathers and scatters by a dynamic number of index vectors."""

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import rank_of, shape_of
from xshardy.dialects.stablehlo.building import element_type
from xshardy.dialects.stablehlo.slice_dims import SliceDims
from xshardy.dialects.stablehlo.types import UNSIGNED, largest_integer
from xshardy.facts.neutral_elements import identity_of
from xshardy.transforms.hlo.dynamic_dimensions.pad_pattern import PadPattern
from xshardy.transforms.hlo.dynamic_dimensions.padded_code import PaddedCode
from xshardy.transforms.hlo.dynamic_dimensions.padded_value import Padded, dynamic_dims


def batch_places(dims: SliceDims, rank: int, indices_rank: int) -> dict[int, int]:
    """For each dimension of the indices, but that of the vectors, the dimension of the slices, of this rank."""
    batch = [d for d in range(indices_rank) if d != dims.index_vector]
    return dict(zip(batch, dims.batch_dims(rank), strict=True))


class PadGather(PadPattern[stablehlo.GatherOp]):
    """`gather %a, (set_dimension_size %indices, %n)` -> `set_dimension_size (gather %a, %indices), %n`"""

    op_types = (stablehlo.GatherOp,)

    @staticmethod
    def refusal(op: stablehlo.GatherOp) -> str | None:
        return "it gathers from a tensor with dynamic dimensions" if dynamic_dims(op.operand.type) else None

    def padded(self, op: stablehlo.GatherOp, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        operand, indices = operands
        places = batch_places(op.dimension_numbers.dims, rank_of(op.result), len(indices.shape))
        (made,) = code.remade(op, [operand.value, indices.value])
        return [Padded(made, {places[d]: size for d, size in indices.sizes.items()})]


class PadScatter(PadPattern[stablehlo.ScatterOp]):
    """`scatter %a, (set_dimension_size %i, %n), %u` -> `scatter %a, (select (iota < %n), %i, -2147483648), %u`"""

    op_types = (stablehlo.ScatterOp,)

    @staticmethod
    def refusal(op: stablehlo.ScatterOp) -> str | None:
        if any(dynamic_dims(each.type) for each in op.inputs):
            return "it scatters into a tensor with dynamic dimensions"
        dims = op.scatter_dimension_numbers.dims
        if any(d in dims.offset for each in op.updates for d in dynamic_dims(each.type)):
            return "a window of its updates is dynamic"
        if not dims.started:
            return "no index says where its updates go"
        return None

    def padded(self, op: stablehlo.ScatterOp, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        count = len(op.inputs)
        inputs, indices, updates = operands[:count], operands[count], operands[count + 1 :]
        places = batch_places(op.scatter_dimension_numbers.dims, len(updates[0].shape), len(indices.shape))
        sizes = dict(indices.sizes)
        for update in updates:
            sizes |= {d: update.sizes[place] for d, place in places.items() if place in update.sizes}
        found = self.with_outside(op, indices.value, code)
        outside = code.masked(Padded(found, sizes), outside_of_all(found, code))
        values = [*(each.value for each in inputs), outside, *(each.value for each in updates)]
        return [Padded(value) for value in code.remade(op, values)]

    @staticmethod
    def with_outside(op: stablehlo.ScatterOp, indices: SSAValue, code: PaddedCode) -> SSAValue:
        """`indices` in a type whose limit is outside of the operands: the largest number of 8 bits may be inside."""
        shape, dims = shape_of(op.inputs[0]), op.scatter_dimension_numbers.dims.started
        is_outside = max(shape[d] for d in dims) <= largest_integer(element_type(indices))
        return indices if is_outside else code.convert(indices, i64)


def outside_of_all(indices: SSAValue, code: PaddedCode) -> SSAValue:
    """An index that no tensor has: the smallest, or the largest of an unsigned type."""
    type = TensorType(element_type(indices), [])
    kind = stablehlo.MinOp if type.element_type in UNSIGNED else stablehlo.MaxOp
    limit = identity_of(kind, type.element_type)
    assert limit is not None, "an integer type has limits"
    return code(stablehlo.ConstantOp(limit))
