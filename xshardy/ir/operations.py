"""
One operation with its results, uses and regions.

Attributes are set one by one, and only those that differ from the defaults, which xDSL's dataclasses keep in the class:
Python then stores them inside of the object, without a dictionary of its own, in a third of the time.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr
from xdsl.ir import Attribute, Operation, OpResult, Region, SSAValue
from xdsl.ir.core import SSAValues, Use

OpT = TypeVar("OpT", bound=Operation)

_new: Any = object.__new__


def new_operation(
    op_type: type[OpT],
    operands: Sequence[SSAValue] = (),
    result_types: Iterable[Attribute] = (),
    properties: dict[str, Attribute] | None = None,
    attributes: dict[str, Attribute] | None = None,
    location: LocationAttr = UNKNOWN_LOC,
    regions: tuple[Region, ...] = (),
) -> OpT:
    """
    What `op_type.create` returns for the same arguments, under the preconditions of this package.

    The operation has no successors, and is in no block.
    """
    op: OpT = _new(op_type)
    op.properties = {} if properties is None else properties
    op.attributes = {} if attributes is None else attributes
    op.location = location
    if result_types:
        new_results(op, result_types)
    if operands:
        add_operands(op, operands)
    if regions:
        add_regions(op, regions)
    return op


def new_results(op: Operation, types: Iterable[Attribute]) -> list[OpResult]:
    """Give `op`, which has no results, results of `types`. Returns them."""
    results: list[OpResult] = []
    for type in types:
        result: OpResult = _new(OpResult)
        result._type = type
        result.op = op
        result.index = len(results)
        results.append(result)
    op.results = SSAValues(results)
    return results


def add_operands(op: Operation, operands: Iterable[SSAValue]) -> None:
    """Give `op`, which has no operands, these. Each becomes the first use of its value, in order."""
    op._operands = values = SSAValues(operands)
    uses: list[Use] = []
    for value in values:
        use: Use = _new(Use)
        use._operation = op
        use._index = len(uses)
        following = value.first_use
        if following is not None:
            use._next_use = following
            following._prev_use = use
        value.first_use = use
        uses.append(use)
    op._operand_uses = tuple(uses)


def add_regions(op: Operation, regions: tuple[Region, ...]) -> None:
    """Give `op`, which has no regions, these."""
    for region in regions:
        region.parent = op
    op.regions = regions


def set_name_hint(value: SSAValue, name: str) -> None:
    """
    `value.name_hint = name`, for a name that is valid.

    A name like `_0` is no hint: xDSL would keep an empty one, and fail when the value is cloned.
    """
    stem, underscore, number = name.rpartition("_")
    value._name = (stem or None) if underscore and number.isdecimal() else name
