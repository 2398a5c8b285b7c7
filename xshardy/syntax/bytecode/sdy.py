"""
The encodings of sdy's attributes. Sources of propagation edges have none: they are text.

Source: Shardy, shardy/dialect/sdy/ir/bytecode.td, which lists the codes and their fields.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IntAttr, NoneAttr
from xdsl.ir import Attribute

from xshardy.dialects.sdy.attributes.axes import (
    AllToAllParamAttr,
    AllToAllParamListAttr,
    AxisRefAttr,
    AxisRefListAttr,
    ListOfAxisRefListsAttr,
    SubAxisInfoAttr,
)
from xshardy.dialects.sdy.attributes.enums import ReductionOp, ReductionOpAttr
from xshardy.dialects.sdy.attributes.mesh import ManualAxesAttr, MeshAttr, MeshAxisAttr
from xshardy.dialects.sdy.attributes.rule import DimMappingAttr, OpShardingRuleAttr, TensorMappingAttr
from xshardy.dialects.sdy.attributes.sharding import (
    DimensionShardingAttr,
    TensorShardingAttr,
    TensorShardingPerValueAttr,
)
from xshardy.syntax.bytecode.encoding import (
    ATTRIBUTE,
    SVARINT,
    SVARINTS,
    VARINT,
    DialectEncoding,
    Encoding,
    Field,
    Table,
    array,
    attribute_of,
    converted,
    listed,
    record,
)
from xshardy.syntax.bytecode.errors import BytecodeError
from xshardy.syntax.bytecode.stablehlo import FLAG, INT, NAME
from xshardy.syntax.bytecode.vhlo import OPTIONAL_ATTRIBUTE

INTS = converted(
    SVARINTS, lambda values: array([IntAttr(value) for value in values]), lambda array: [v.data for v in array]
)


def array_of(kind: type[Attribute]) -> Field:
    """An array of attributes of one class."""
    return converted(listed(attribute_of(kind)), array, lambda array: array.data)


def _priority(number: int) -> Attribute:
    return IntAttr(number >> 1) if number & 1 else NoneAttr()


def _priority_number(priority: IntAttr | NoneAttr) -> int:
    return 0 if isinstance(priority, NoneAttr) else priority.data << 1 | 1


PRIORITY = converted(VARINT, _priority, _priority_number)
"""A priority with a flag in the lowest bit, or 0 for none."""

NO_AXES = ArrayAttr[AxisRefAttr]([])
SUM = ReductionOpAttr(ReductionOp.SUM)
REDUCTIONS = tuple(ReductionOp)


def _reduction(number: int) -> ReductionOpAttr:
    if not 0 <= number < len(REDUCTIONS):
        raise BytecodeError(f"there is no reduction with number {number}")
    return ReductionOpAttr(REDUCTIONS[number])


REDUCTION = converted(SVARINT, _reduction, lambda attribute: REDUCTIONS.index(attribute.data))

AXES = array_of(AxisRefAttr)
SHARDING = (ATTRIBUTE, array_of(DimensionShardingAttr), AXES)


def _sharding(
    mesh: Attribute, dims: Attribute, replicated: Attribute, unreduced: Attribute | None = None
) -> TensorShardingAttr:
    return TensorShardingAttr.new((mesh, dims, replicated, unreduced or NO_AXES, SUM))


def _is_unreduced(sharding: TensorShardingAttr) -> bool:
    return bool(sharding.unreduced_axes.data)


def _sum_parts(sharding: TensorShardingAttr) -> Sequence[Attribute] | None:
    return sharding.parameters[:-1] if sharding.reduction_op == SUM else None


def _per_value_parts(attribute: TensorShardingPerValueAttr) -> Sequence[Attribute] | None:
    return None if any(map(_is_unreduced, attribute.shardings)) else attribute.parameters


SHARDINGS = array_of(TensorShardingAttr)

SDY = DialectEncoding(
    attributes=Table(
        (
            record(0, ManualAxesAttr, converted(listed(ATTRIBUTE), array, lambda array: array.data)),
            record(1, MeshAxisAttr, NAME, INT),
            record(2, MeshAttr, array_of(MeshAxisAttr), INTS),
            record(3, SubAxisInfoAttr, INT, INT),
            record(4, AxisRefAttr, NAME, OPTIONAL_ATTRIBUTE),
            record(5, DimensionShardingAttr, AXES, FLAG, PRIORITY),
            Encoding(
                6, TensorShardingAttr, SHARDING, _sharding, lambda s: None if _is_unreduced(s) else s.parameters[:3]
            ),
            Encoding(7, TensorShardingPerValueAttr, (SHARDINGS,), TensorShardingPerValueAttr, _per_value_parts),
            record(8, DimMappingAttr, INTS),
            record(9, TensorMappingAttr, array_of(DimMappingAttr)),
            record(
                10,
                OpShardingRuleAttr,
                INTS,
                array_of(TensorMappingAttr),
                array_of(TensorMappingAttr),
                INTS,
                INTS,
                INTS,
                INTS,
                FLAG,
            ),
            record(11, AxisRefListAttr, AXES),
            record(12, ListOfAxisRefListsAttr, array_of(AxisRefListAttr)),
            record(13, AllToAllParamAttr, AXES, INT, INT),
            record(14, AllToAllParamListAttr, array_of(AllToAllParamAttr)),
            Encoding(15, TensorShardingAttr, (*SHARDING, AXES), _sharding, _sum_parts),
            record(16, TensorShardingPerValueAttr, SHARDINGS),
            record(17, TensorShardingAttr, *SHARDING, AXES, REDUCTION),
        )
    ),
    types=Table(()),
)
