"""
Text templates: the text of an operation that resembles an earlier one is filled in with names, instead of printed.

This is the counterpart of `templates` for printing. Operations are alike if they have the same class, the same
attributes under the same names, the same types of operands and results, and the same equalities between operands.
Attributes and types of a parsed module are shared, so they are compared by identity, which is fast; equal but distinct
ones only cost another template. Each printer has its own templates and prints one module, which does not change
meanwhile. Printing a transformer of 32 layers takes 10 us an operation, and 32 without templates.

A text becomes a template only if it depends on nothing else:
- it has one line, no successors, and no regions except in WITH_BODY;
- it is in the generic form, or comes from an `assembly_format`, which reads nothing else, or its operation is in ALIKE;
- each value name in it belongs to an operand, or to the results.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation

from xshardy.dialects.naming import ValueNames
from xshardy.ir.fields import operands_of, successors_of
from xshardy.syntax.formats import format_of

WITH_BODY = frozenset({"stablehlo.reduce"})
"""Operations that print a body as one word if it has one operation: `applies stablehlo.add`."""

ALIKE = frozenset({"arith.constant", "llvm.mlir.constant", "stablehlo.constant"}) | WITH_BODY
"""Operations with custom printers whose text depends only on the template key."""

RESULTS = -1
"""The place of the names of all results: behind those of the operands."""

Written = tuple[int, SSAValue | None]
"""The index of a part of a text that is a name, and its value; None for the names of the results."""


@cache
def can_be_alike(op_type: type[Operation], in_generic_form: bool) -> bool:
    """Whether the text of an `op_type` depends only on `text_key`."""
    if issubclass(op_type, UnregisteredOp):
        return False
    if in_generic_form:
        return True
    row = format_of(op_type)
    if row is not None and row.print is not None:
        return row.is_declared
    if op_type.print is Operation.print or op_type.name in ALIKE:
        return True
    return issubclass(op_type, IRDLOperation) and op_type.get_irdl_definition().assembly_format is not None


def text_key(op: Operation, prefix: str) -> Hashable | None:
    """
    The template key of `op`; None if `op` has no template.

    `prefix` is the prefix of operation names that is elided at `op`.
    """
    body: Hashable = ()
    if successors_of(op) or (op.regions and (op.name not in WITH_BODY or (body := _body_key(op)) is None)):
        return None
    operands = operands_of(op)
    key = prefix, body, *_parts(op)
    if len(operands) > 1 and len(set(map(id, operands))) < len(operands):
        numbers = [*map(id, operands)]
        return *key, tuple(map(numbers.index, numbers))
    return key


def _parts(op: Operation) -> Sequence[Hashable]:
    """The class of `op`, and the identities of its attributes and types."""
    properties, attributes = op.properties, op.attributes
    return (
        type(op),
        *properties,
        *map(id, properties.values()),
        None,
        *attributes,
        *map(id, attributes.values()),
        None,
        *[id(operand.type) for operand in operands_of(op)],
        None,
        *[id(result.type) for result in op.results],
    )


def _body_key(op: Operation) -> Hashable | None:
    """What the regions of `op` are: None if they hold more than operations that use values of their block only."""
    key: list[Hashable] = []
    for region in op.regions:
        for block in region.blocks:
            numbers = {id(argument): number for number, argument in enumerate(block.args)}
            key.append(tuple([id(argument.type) for argument in block.args]))
            for inner in block.ops:
                used = [numbers.get(id(operand)) for operand in operands_of(inner)]
                if inner.regions or successors_of(inner) or None in used:
                    return None
                key.append((*_parts(inner), *used))
                numbers |= {id(result): len(numbers) + index for index, result in enumerate(inner.results)}
    return tuple(key)


@dataclass(slots=True)
class TextTemplate:
    """The text of an operation without value names."""

    text: str
    """The text with `%s` for each name, and `%%` for each percent sign."""
    pick: Callable[[Sequence[str]], tuple[str, ...] | str]
    """What is filled in, from the names of the operands and of the results: several names, or one."""

    @classmethod
    def of(cls, op: Operation, parts: Sequence[str], names: Sequence[Written]) -> "TextTemplate | None":
        """The template of `op`, whose text consists of `parts`; None if it cannot be one."""
        operands = {id(operand): index for index, operand in reversed(list(enumerate(op.operands)))}
        texts = [part.replace("%", "%%") for part in parts]
        places: list[int] = []
        for index, value in names:
            place = RESULTS if value is None else operands.get(id(value))
            if place is None:
                return None
            texts[index] = "%s"
            places.append(place)
        text = "".join(texts)
        return None if "\n" in text else cls(text, itemgetter(*places) if places else lambda _: ())

    def fill(self, op: Operation, names: ValueNames) -> str:
        """The text of `op`."""
        parts = [names.of(operand) for operand in operands_of(op)]
        parts.append(names.results(op))
        return self.text % self.pick(parts)
