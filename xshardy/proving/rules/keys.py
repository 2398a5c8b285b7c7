"""What decides about the result of an operation beside its operands, as values that are equal for equal functions."""

from collections.abc import Mapping
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import AnyFloat, ComplexType, IntegerType, Signedness, TensorType, f64, i1
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.traits import SymbolTable

from xshardy.dialects import stablehlo

IRRELEVANT = frozenset(
    {
        "api_version",
        "called_computations",
        "channel_handle",
        "indices_are_sorted",
        "operand_layouts",
        "output_operand_aliases",
        "precision_config",
        "result_layouts",
    }
)
"""Properties that do not change what is computed in exact arithmetic."""

DECISIVE = frozenset({"mhlo.backend_config", "backend_config"})
"""Discardable attributes that change what a custom call computes."""


TRUTH, REAL, COMPLEX = i1, f64, ComplexType(f64)
"""Kinds of elements. Floats of all widths are the real numbers. Integers wrap around by their width."""

NUMBERS = frozenset({REAL, COMPLEX})
"""Kinds of elements that neither round nor wrap around."""


BOOLEAN_NAMES: Mapping[type[Operation], str] = {
    stablehlo.AddOp: "or",
    stablehlo.MaxOp: "or",
    stablehlo.MulOp: "and",
    stablehlo.MinOp: "and",
    stablehlo.AndOp: "and",
    stablehlo.OrOp: "or",
}
"""What combiners are for truths."""


def element_of(value: SSAValue) -> Attribute:
    """The element type of a tensor."""
    is_tensor = isinstance(value.type, TensorType)  # `isa` takes a quarter of the time of a proof
    return cast(TensorType[Attribute], value.type).element_type if is_tensor else value.type


def kind_of_element(element: Attribute) -> Attribute:
    """The kind of elements of this type: itself, or the one that stands for all floats or complex numbers."""
    if isinstance(element, AnyFloat):
        return REAL
    return COMPLEX if isinstance(element, ComplexType) else element


def integer_range(element: Attribute) -> tuple[int, int] | None:
    """The least and the greatest integer of this type; None if it has no integers."""
    if not isinstance(element, IntegerType) or element == i1:
        return None
    type = cast(IntegerType, element)
    bits, is_unsigned = type.width.data, type.signedness.data is Signedness.UNSIGNED
    return (0, (1 << bits) - 1) if is_unsigned else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def kinds_of(op: Operation) -> tuple[Attribute, ...]:
    """The kinds of the elements of its operands, then of its results."""
    return tuple(kind_of_element(element_of(value)) for value in (*op.operands, *op.results))


def details_of(op: Operation, leave_out: frozenset[str] = frozenset()) -> tuple[object, object]:
    """The properties of `op`, and what its regions compute."""
    properties = [
        (name, str(value)) for name, value in sorted(op.properties.items()) if name not in IRRELEVANT | leave_out
    ]
    properties += [(name, str(value)) for name, value in sorted(op.attributes.items()) if name in DECISIVE]
    return tuple(properties), tuple(fingerprint(region) for region in op.regions)


NO_DETAILS = (), ()
"""Those of operations without properties and regions."""


def fingerprint(region: Region) -> str:
    """
    The text of a region with its values numbered: equal for regions that compute the same in the same way.

    A value from outside of it makes it unlike all others. Functions that it calls are a part of it.
    """
    numbers = dict[SSAValue, int]()
    lines = list[str]()
    for block in region.blocks:
        for argument in block.args:
            numbers[argument] = len(numbers)
        for op in block.ops:
            operands = [numbers.get(operand, f"outside {hash(operand)}") for operand in op.operands]
            for result in op.results:
                numbers[result] = len(numbers)
            if isinstance(op, func.CallOp) and (called := SymbolTable.lookup_symbol(op, op.callee)) is not None:
                lines.append(fingerprint(called.regions[0]))
            lines.append(f"{op.name.partition('.')[2]}{operands}{details_of(op)}{[*map(str, kinds_of(op))]}")
    return ";".join(lines)
