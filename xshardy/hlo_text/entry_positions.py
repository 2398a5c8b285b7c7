"""
Attributes of a module about parameters and results of its entry by position, for an entry whose tuples are dissolved.

`input_output_alias={ {0,1}: (1, {}) }` says that element 1 of element 0 of the result is written into parameter 1.
"""

import re
from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr, TupleType
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.hlo.instruction import elements
from xshardy.dialects.stablehlo.tuples import tuple_type
from xshardy.hlo_text.tuples import leaf_types
from xshardy.rewriting import match_op_type

ALIASES, DONORS, LAYOUT = "hlo.input_output_alias", "hlo.buffer_donor", "hlo.entry_computation_layout"

_INDEX = r"\{([\d,\s]*)\}"
_ALIAS = re.compile(rf"{_INDEX}\s*:\s*\(\s*(\d+)\s*,\s*{_INDEX}([^)]*)\)")
_DONOR = re.compile(rf"\(\s*(\d+)\s*,\s*{_INDEX}\s*\)")


class CountLeavesOfEntry(RewritePattern):
    """The `(1, {0})` and `{0,1}` of a module with the entry `func @f` -> positions among its arguments and results."""

    @match_op_type
    def match_and_rewrite(self, op: func.FuncOp, rewriter: PatternRewriter, /):
        module, type = op.parent_op(), op.function_type
        if op.sym_visibility == StringAttr("private") or not isinstance(module, ModuleOp):
            return
        if not any(isinstance(part, TupleType) for part in (*type.inputs, *type.outputs)):
            return
        for name, rewritten in {ALIASES: aliases_of_leaves, DONORS: donors_of_leaves, LAYOUT: layout_of_leaves}.items():
            if isinstance(text := module.attributes.get(name), StringAttr):
                module.attributes[name] = StringAttr(rewritten(text.data, type))
                rewriter.notify_op_modified(module)


def aliases_of_leaves(text: str, entry: FunctionType) -> str:
    """`{ {0,1}: (1, {}, may-alias) }` -> `{ {1}: (2, {}, may-alias) }`; a tuple becomes its elements."""
    result = whole_type(entry.outputs.data)
    is_tuple = returns_several(entry)

    def entries() -> Iterator[str]:
        for match in _ALIAS.finditer(text):
            outputs = positions(result, path_of(match[1]))
            parameters = positions(tuple_type(entry.inputs.data), (int(match[2]), *path_of(match[3])))
            if len(outputs) != len(parameters):
                raise PassFailedException(
                    f"input_output_alias: {match[0]} gives {len(outputs)} tensors of the result the memory of "
                    f"{len(parameters)} of the parameters: name one tensor of each"
                )
            for output, parameter in zip(outputs, parameters, strict=True):
                yield f"{{{output if is_tuple else ''}}}: ({parameter}, {{}}{match[4]})"

    return f"{{ {', '.join(entries())} }}"


def donors_of_leaves(text: str, entry: FunctionType) -> str:
    """`{ (1, {0}) }` -> `{ (2, {}) }`; a tuple becomes its elements."""
    found = (
        parameter
        for match in _DONOR.finditer(text)
        for parameter in positions(tuple_type(entry.inputs.data), (int(match[1]), *path_of(match[2])))
    )
    return f"{{ {', '.join(f'({parameter}, {{}})' for parameter in found)} }}"


def layout_of_leaves(text: str, entry: FunctionType) -> str:
    """`{((f32[2]{0}, s32[]))->(f32[2]{0})}` -> `{(f32[2]{0}, s32[])->f32[2]{0}}`"""
    parameters, results = map(without_parentheses, text.removeprefix("{").removesuffix("}").split("->"))
    return f"{{({parameters})->{f'({results})' if returns_several(entry) else results}}}"


def without_parentheses(shapes: str) -> str:
    """The shapes in tuples, without the parentheses of these: those in layouts stay."""
    depth = 0
    kept: list[str] = []
    for character in shapes:
        depth += (character == "{") - (character == "}")
        if depth or character not in "()":
            kept.append(character)
    return "".join(kept)


def whole_type(types: Sequence[Attribute]) -> Attribute:
    """The type of the result of a computation that returns values of `types`."""
    return types[0] if len(types) == 1 else tuple_type(types)


def returns_several(entry: FunctionType) -> bool:
    """Whether the entry returns a tuple also when its tuples are dissolved."""
    return len([*leaf_types(whole_type(entry.outputs.data))]) > 1


def path_of(text: str) -> tuple[int, ...]:
    """`0,1` -> `(0, 1)`"""
    return tuple(int(index) for index in text.split(",") if index.strip())


def positions(type: Attribute, path: Sequence[int]) -> range:
    """
    The positions, among all leaves of `type`, of those of its part at `path`.

    Raises `PassFailedException` if there is none.
    """
    start, part = 0, type
    for index in path:
        if not isinstance(part, TupleType) or index >= len(parts := elements(cast(Attribute, part))):
            raise PassFailedException(f"{{{', '.join(map(str, path))}}} is no part of the type {type}")
        start += sum(len([*leaf_types(before)]) for before in parts[:index])
        part = parts[index]
    return range(start, start + len([*leaf_types(part)]))
