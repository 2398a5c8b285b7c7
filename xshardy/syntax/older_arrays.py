"""
Arrays of numbers as StableHLO wrote them until JAX 0.4.23, in 2024: `dense<[1, 2]> : tensor<2xi64>`.

Today's are `array<i64: 1, 2>`, and say the same. Attributes that are still dense, such as `padding`, stay.
"""

from collections.abc import Mapping
from functools import cache

from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, IntegerType, i1, i64
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation

DIALECTS = ("chlo", "stablehlo")
CONSTRAINTS = {DenseArrayBase.constr(type): type for type in (i1, i64)}


@cache
def _arrays_of(op_type: type[Operation]) -> Mapping[str, IntegerType]:
    """The properties of an operation that are arrays, with the type of their elements."""
    if op_type.dialect_name() not in DIALECTS or not issubclass(op_type, IRDLOperation):
        return {}
    properties = op_type.get_irdl_definition().properties
    return {
        name: type
        for name, declared in properties.items()
        for constraint, type in CONSTRAINTS.items()
        if declared.constr == constraint
    }


def replace_older_arrays(op_type: type[Operation], properties: dict[str, Attribute]) -> None:
    """`dense<[1, 2]> : tensor<2xi64>` -> `array<i64: 1, 2>`, in place, where `op_type` declares such an array."""
    for name, type in _arrays_of(op_type).items():
        given = properties.get(name)
        if not isinstance(given, DenseIntOrFPElementsAttr) or given.get_element_type() != type:
            continue
        if len(given.get_shape()) == 1:
            properties[name] = DenseArrayBase.from_list(type, [int(value) for value in given.get_values()])
