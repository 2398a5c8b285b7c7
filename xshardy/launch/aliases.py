"""What a module says about memory that operands and results share."""

import re
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.function_attributes import argument_attributes
from xshardy.launch.prepared_program import ModuleError, entry_of

INPUT_OUTPUT_ALIAS = "hlo.input_output_alias"
OF_STABLEHLO = "tf.aliasing_output"
"""The attribute of an argument of StableHLO with the number of the result that is written into its memory."""

_ENTRY = re.compile(r"\{([\d, ]*)\}\s*:\s*\(\s*(\d+)\s*,\s*\{([\d, ]*)\}\s*(?:,\s*(?:may|must)-alias\s*)?\)")


def donated_parameters(module: ModuleOp) -> Mapping[int, int]:
    """
    The results of the entry of `module` that are written into the memory of a parameter: result to parameter number.

    Raises `ModuleError` for parts of nested tuples.
    """
    found = _pairs(module.attributes.get(INPUT_OUTPUT_ALIAS))
    for number, attributes in enumerate(argument_attributes(entry_of(module))):
        if isinstance(result := attributes.get(OF_STABLEHLO), IntegerAttr):
            found[result.value.data] = number
    return found


def library_aliases(op: Operation) -> Mapping[int, int]:
    """
    The results of a library call that are written into the memory of an operand: result to operand number.

    Raises `ModuleError` for parts of nested tuples.
    """
    found: dict[int, int] = {}
    for alias in op.output_operand_aliases if isinstance(op, stablehlo.CustomCallOp) else ():
        result, operand = alias.output_tuple_indices.get_values(), alias.operand_tuple_indices.get_values()
        if len(result) > 1 or operand:
            raise ModuleError(f"{alias}: a part of a nested tuple shares memory, which is not supported")
        found[result[0] if result else 0] = alias.operand_index.data
    return found


def aliases_of(buffers: Sequence[int], operands: int) -> Mapping[int, int]:
    """
    The results of a kernel that it writes into the buffer of an operand: result to operand number.

    `buffers` has the number of the buffer of each argument: of so many `operands`, then of the results.
    """
    inputs = {buffer: index for index, buffer in reversed([*enumerate(buffers[:operands])])}
    return {index: inputs[buffer] for index, buffer in enumerate(buffers[operands:]) if buffer in inputs}


def _pairs(attribute: Attribute | None) -> dict[int, int]:
    """`{0}: (2, {}), {1}: (3, {}, may-alias)` -> `{0: 2, 1: 3}`"""
    text = attribute.data if isinstance(attribute, StringAttr) else ""
    found: dict[int, int] = {}
    for result, operand, inside in _ENTRY.findall(text):
        if "," in result or inside.strip():
            raise ModuleError(f"{text}: a part of a nested tuple shares memory, which is not supported")
        found[int(result or 0)] = int(operand)
    return found
