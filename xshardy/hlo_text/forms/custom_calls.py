"""Custom calls: functions of the target."""

import re
from collections.abc import Mapping
from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    Builtin,
    DenseArrayBase,
    DictionaryAttr,
    IntAttr,
    IntegerAttr,
    StringAttr,
    i32,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import ParseError, VerifyException

from xshardy.dialects import stablehlo
from xshardy.dialects.hlo.annotation_names import BACKEND_CONFIG
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.calls import TYPED_FFI
from xshardy.dialects.stablehlo.structs import OutputOperandAliasAttr
from xshardy.hlo_text.annotations import read_text
from xshardy.hlo_text.codecs import SYMBOLS, Fields, boolean
from xshardy.hlo_text.fields import read_raw
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.opcode import Form, Opcode, Regions, row
from xshardy.syntax.parser import Parser

API_VERSIONS: Mapping[str, int] = {
    "API_VERSION_UNSPECIFIED": 0,
    "API_VERSION_ORIGINAL": 1,
    "API_VERSION_STATUS_RETURNING": 2,
    "API_VERSION_STATUS_RETURNING_UNIFIED": 3,
    "API_VERSION_TYPED_FFI": 4,
}
API_NAMES: Mapping[int, str] = {number: name for name, number in API_VERSIONS.items()}
ORIGINAL = API_VERSIONS["API_VERSION_ORIGINAL"]
"""The version of a call that names none."""


def custom_call(instruction: Instruction) -> Operation:
    """`custom-call(x), custom_call_target="f", api_version=API_VERSION_TYPED_FFI`; tuples are kept."""
    fields = instruction.fields
    properties: dict[str, Attribute] = {"call_target_name": StringAttr(fields["custom_call_target"])}
    if "custom_call_has_side_effect" in fields:
        properties["has_side_effect"] = boolean(fields["custom_call_has_side_effect"])
    if "api_version" in fields:
        if (version := API_VERSIONS.get(fields["api_version"])) is None:
            raise instruction.error(
                f"unknown api_version '{fields['api_version']}'", f"one of {', '.join(API_VERSIONS)}"
            )
        properties["api_version"] = IntegerAttr(version, i32)
    if "called_computations" in fields:
        properties["called_computations"] = SYMBOLS.encode(fields["called_computations"])
    if (text := fields.get("output_to_operand_aliasing")) is not None:
        aliases = aliases_in(text, instruction)
        if fields["custom_call_target"] not in IN_PLACE:
            properties["output_operand_aliases"] = aliases
    attributes: dict[str, Attribute] = {}
    if (text := fields.get("backend_config")) is not None:
        is_typed = fields.get("api_version") == API_NAMES[TYPED_FFI] and isinstance(text, StringAttr)
        if is_typed and (options := options_of(text.data)) is not None:
            properties["backend_config"] = options
        else:
            attributes[BACKEND_CONFIG] = text
    return stablehlo.CustomCallOp.create(
        operands=instruction.operands,
        result_types=[instruction.shape.type],
        properties=properties,
        attributes=attributes,
    )


@cache
def options_of(text: str) -> DictionaryAttr | None:
    """
    The options of a typed call, whose backend config is a dictionary of MLIR: `{uplo = 76 : ui8}`.

    None for other text, which stays as written: only the target of the call can read it.
    """
    ctx = Context()
    ctx.load_dialect(Builtin)
    try:
        options = Parser(ctx, text).parse_whole_attribute()
    except (ParseError, VerifyException):
        return None
    return options if isinstance(options, DictionaryAttr) else None


IN_PLACE = ("Pin", "Unpin")
"""The calls whose result is in the memory of the operand, which HLO text says and StableHLO implies."""
WHOLE = ArrayAttr([OutputOperandAliasAttr(integers(()), IntAttr(0), integers(()))])
"""The whole result is in the memory of the whole of operand 0."""
INDEX = r"\{([\d,\s]*)\}"
ALIAS = rf"\s*{INDEX}\s*:\s*\(\s*(\d+)\s*,\s*{INDEX}\s*\)\s*"
ALIASES = re.compile(rf"\{{(?:{ALIAS}(?:,{ALIAS})*|\s*)\}}")


def aliases_in(text: str, instruction: Instruction) -> ArrayAttr[OutputOperandAliasAttr]:
    """`{{0}: (1, {})}`: part 0 of the result is in the memory of operand 1."""
    if ALIASES.fullmatch(text) is None:
        raise instruction.error(f"output_to_operand_aliasing={text}", "write it like `{{0}: (1, {})}`")
    return ArrayAttr(
        OutputOperandAliasAttr(path_of(output), IntAttr(int(operand)), path_of(part))
        for output, operand, part in re.findall(ALIAS, text)
    )


def path_of(text: str) -> DenseArrayBase[I64]:
    """The indices of `0, 1`."""
    return integers([int(index) for index in text.split(",") if index.strip()])


def alias_text(alias: OutputOperandAliasAttr) -> str:
    """The inverse of `aliases_in`, for one alias."""
    output, operand = (
        ",".join(map(str, path.get_values())) for path in (alias.output_tuple_indices, alias.operand_tuple_indices)
    )
    return f"{{{output}}}: ({alias.operand_index.data}, {{{operand}}})"


MHLO_BACKEND_CONFIG = "mhlo.backend_config"
"""Where JAX writes the options of a typed call for older readers."""
ANNOTATED = ("backend_config", "operand_layouts", "result_layouts", "result_tilings")
"""Properties of custom calls that HLO text has as annotations, or lacks."""


def is_to_annotate(op: stablehlo.CustomCallOp) -> bool:
    """Whether `op` has properties that HLO text has as annotations."""
    return MHLO_BACKEND_CONFIG in op.attributes or any(op.properties.get(name) for name in ANNOTATED)


def custom_call_fields(op: stablehlo.CustomCallOp, regions: Regions) -> Fields:
    """The inverse of `custom_call`."""
    fields: Fields = {"custom_call_target": op.call_target_name.data}
    if op.has_side_effect.value.data:
        fields["custom_call_has_side_effect"] = True
    if (version := op.api_version.value.data) != ORIGINAL:
        fields["api_version"] = API_NAMES[version]
    if op.called_computations.data:
        fields["called_computations"] = SYMBOLS.decode(op.called_computations)
    aliases = WHOLE if op.call_target_name.data in IN_PLACE else op.output_operand_aliases
    if aliases.data:
        fields["output_to_operand_aliasing"] = f"{{{', '.join(map(alias_text, aliases))}}}"
    return fields


AS_WRITTEN = """
batch_group_count convolution_kind dim_labels feature_group_count operand_layout_constraints operand_precision
padding_type results_memory_spaces schedule window
"""
"""The fields of library calls that StableHLO has no property for: annotations with the text of the field."""

ROWS: Mapping[str, Opcode] = {
    "custom-call": row(
        custom_call,
        None,
        "custom_call_target",
        "api_version backend_config called_computations custom_call_has_side_effect output_to_operand_aliasing",
        extras=f"{AS_WRITTEN} literal to_apply",
        forms=[Form(stablehlo.CustomCallOp, custom_call_fields, needs_rewrite=is_to_annotate)],
        readers={
            **dict.fromkeys([*AS_WRITTEN.split(), "output_to_operand_aliasing"], read_raw),
            "backend_config": read_text,
        },
    )
}
