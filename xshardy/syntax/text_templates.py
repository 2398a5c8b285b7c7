"""
Text templates: the text of an operation like one that was printed before is filled in with names, instead of printed.

What `templates` is to reading, this is to writing. Operations are alike if they are of one class, hold the same
attributes under the same names, have operands and results of the same types, and the same operands are equal. The
attributes and types of a module that was read are shared, so that they are compared by identity, which is fast; others
are printed once more at worst. A printer has templates of its own and prints one module once: nothing changes in it.

A template is made only of a text for which it is certain that it depends on nothing else:
- it has one line, no regions and no successors;
- it is in the generic form or declared as an `assembly_format`, which sees no more of an operation than that, or its
  operation is in ALIKE;
- each name of a value in it is that of an operand, or those of the results.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import IRDLOperation

from xshardy.syntax.formats import format_of

ALIKE = frozenset({"arith.constant", "llvm.mlir.constant", "stablehlo.constant"})
"""Operations that print themselves, and depend on nothing but what templates are told apart by."""

RESULTS = -1
"""Among the places of a template: the names of the results, as in front of the operation."""

Written = tuple[int, SSAValue | None]
"""Which part of a text is a name, and whose: None, for those of the results."""


@cache
def can_be_alike(op_type: type[Operation], in_generic_form: bool) -> bool:
    """Whether all that the text of an `op_type` depends on is a part of `text_key`."""
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
    What two operations have in common if one template is for both; None if there is none for `op`.

    `prefix` is the one that names of operations go without where `op` is.
    """
    if op.regions or op.successor_uses:
        return None
    properties, attributes, operands = op.properties, op.attributes, tuple(op.operands)
    key = (
        type(op),
        prefix,
        *properties,
        *map(id, properties.values()),
        None,
        *attributes,
        *map(id, attributes.values()),
        None,
        *[id(operand.type) for operand in operands],
        None,
        *[id(result.type) for result in op.results],
    )
    if len(operands) > 1 and len(set(operands)) < len(operands):
        return *key, tuple(map(operands.index, operands))
    return key


@dataclass(frozen=True, slots=True)
class TextTemplate:
    """The text of an operation but for names."""

    op: Operation
    """The one that was printed. It keeps its attributes and types, by which others are compared with it, in memory."""
    text: str
    """With `%s` for each name, and `%%` for each percent sign."""
    places: Sequence[int]
    """Which name each is: that of an operand, by its index, or RESULTS."""

    @classmethod
    def of(cls, op: Operation, parts: Sequence[str], names: Sequence[Written]) -> "TextTemplate | None":
        """The template that the `parts` of the text of `op` are one of; None if there is none."""
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
        return None if "\n" in text else cls(op, text, tuple(places))

    def fill(self, op: Operation, name: Callable[[SSAValue], str], results: Callable[[Operation], str]) -> str:
        """The text of `op`, where `name` gives the names of values, and `results` those of an operation's results."""
        operands = tuple(op.operands)
        return self.text % tuple([name(operands[place]) if place >= 0 else results(op) for place in self.places])
