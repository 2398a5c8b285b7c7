"""Slices whose position is known at run time only."""

from collections.abc import Mapping

from xdsl.ir import Operation, SSAValue
from xdsl.traits import ConstantLike

from xshardy.dialects.sdy.ops import ConstantOp
from xshardy.dialects.stablehlo.slicing import DynamicSliceOp, DynamicUpdateSliceOp
from xshardy.sharding.rules.builder import Factor, Factors, FactorType, Row, Shapes, pointwise_but_for_mismatch


def dynamic_slice(shapes: Shapes, parameters: object = ()) -> Factors:
    """Pointwise; sliced dimensions need replication, since the devices that hold the slice are not known."""
    return pointwise_but_for_mismatch(
        shapes, shapes.operands[0], shapes.results[0], FactorType.NEED_REPLICATION, blocked=True
    )


def dynamic_update_slice(shapes: Shapes, at_constants: bool) -> Factors:
    """
    `([i, j], [i, k], [], [])->([i, j]) need_replication={k}`: each device updates what it holds of the operand.

    So the operand stays sharded along an updated dimension, and only the update is needed whole; not even that if it
    goes `at_constants`.
    """
    operand, update, *indices = shapes.operands
    nowhere = (None,) * len(indices)
    type = FactorType.PASS_THROUGH if at_constants else FactorType.NEED_REPLICATION
    for dim, (size, update_size) in enumerate(zip(operand, update, strict=True)):
        if size == update_size:
            yield Factor((dim, dim, *nowhere), (dim,), size)
        else:
            yield Factor((dim, None, *nowhere), (dim,), size)
            yield Factor((None, dim, *nowhere), (None,), update_size, type)


def _at_constants(op: DynamicUpdateSliceOp) -> bool:
    return all(map(_is_constant, op.start_indices))


def _is_constant(value: SSAValue) -> bool:
    owner = value.owner
    return isinstance(owner, Operation) and (isinstance(owner, ConstantOp) or owner.has_trait(ConstantLike))


RULES: Mapping[type[Operation], Row] = {
    DynamicSliceOp: Row(dynamic_slice),
    DynamicUpdateSliceOp: Row(dynamic_update_slice, _at_constants),
}
