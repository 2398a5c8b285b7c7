"""Elementwise operations: what they compute behind the sizes in use is not read."""

from collections.abc import Sequence

from xdsl.ir import Operation

from xshardy.dialects import chlo, stablehlo
from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.sdy.ops import ShardingConstraintOp
from xshardy.dialects.shapes import rank_of
from xshardy.transforms.hlo.dynamic_dimensions.pad_pattern import PadPattern
from xshardy.transforms.hlo.dynamic_dimensions.padded_code import PaddedCode
from xshardy.transforms.hlo.dynamic_dimensions.padded_value import Padded, dynamic_dims, largest_shape


def elementwise_types() -> tuple[type[Operation], ...]:
    """The operations of StableHLO and CHLO that compute each element from those at its place."""
    operations = (*stablehlo.STABLEHLO.operations, *chlo.CHLO.operations)
    return tuple(op_type for op_type in operations if op_type.has_trait(Elementwise))


class PadElementwise(PadPattern[Operation]):
    """`add (set_dimension_size %a, %n), %b` -> `set_dimension_size (add %a, %b), %n`; sharding constraints likewise"""

    op_types = (*elementwise_types(), ShardingConstraintOp)

    @staticmethod
    def refusal(op: Operation) -> str | None:
        result = op.results[0]
        whole = [operand for operand in op.operands if rank_of(operand) == rank_of(result)]
        if any(largest_shape(operand.type) != largest_shape(result.type) for operand in whole):
            return "its operands have other bounds than its result"
        dims = {d for operand in whole for d in dynamic_dims(operand.type)}
        return None if dims == {*dynamic_dims(result.type)} else "a dimension is dynamic in operands or result only"

    def padded(self, op: Operation, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        sizes = {d: size for operand in reversed(operands) for d, size in operand.sizes.items()}
        return [Padded(code.remade(op, [operand.value for operand in operands])[0], sizes)]
