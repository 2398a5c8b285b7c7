"""
xDSL's printer with the output of upstream's tools.

This module decides names, aliases, digits, the order of dictionaries and elided dialect prefixes; the syntax of single
operations is in the rows of `formats`. Text is collected in a list, and the text of an attribute is created once per
object.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    Signedness,
    StringAttr,
)
from xdsl.ir import Attribute, Block, BlockArgument, Dialect, Operation, Region, SSAValue
from xdsl.printer import Printer as XDSLPrinter
from xdsl.traits import IsTerminator
from xdsl.utils.mlir_lexer import MLIRLexer

from xshardy.dialects.aliases import AliasTable, alias_stem
from xshardy.dialects.dense_elements import Dense
from xshardy.dialects.naming import ValueNames
from xshardy.syntax.attributes import TEXTS
from xshardy.syntax.dense_literals import dense_text
from xshardy.syntax.floats import float_text
from xshardy.syntax.formats import format_of
from xshardy.syntax.locations.aliases import LocationAliases
from xshardy.syntax.locations.text import is_location
from xshardy.syntax.text_templates import TextTemplate, Written, can_be_alike, text_key

DEFAULT_DIALECTS: Mapping[str, str] = {"builtin.module": "builtin.", "func.func": "func."}
"""Operations whose regions elide this prefix of operation names."""

LLVM_TYPE = "!llvm."
"""The prefix of types of the llvm dialect, elided in nested llvm types."""

_NOT_PLAIN = re.compile(r"[^ !#-\[\]-~]")
"""Characters that a string literal must escape: quotes, backslashes, and all but printable ASCII."""


class Printer(XDSLPrinter):
    """
    Prints one operation, once: `Printer().module_text(module)`.

    With `templates`, operations whose texts differ only in value names are printed once: see `text_templates`.
    """

    def __init__(self, *, print_generic_format: bool = False, print_debuginfo: bool = False, templates: bool = True):
        super().__init__(print_generic_format=print_generic_format, print_debuginfo=print_debuginfo)
        self._parts: list[str] = []
        self._aliases = AliasTable()
        self._may_alias = True
        self._attribute_texts: dict[int, tuple[Attribute, str]] = {}
        """By the identity of an attribute, which is kept alive here: keys take longer, and text has few equal ones."""
        self._in_llvm_type = False
        self._default_dialects = [DEFAULT_DIALECTS["builtin.module"]]
        self._value_names: ValueNames | None = None
        self._templates: dict[Hashable, TextTemplate | None] | None = {} if templates else None
        self._locations = LocationAliases(self._quoted, self._attribute_text)
        self._written: list[Written] = []
        """The places of names in the text of the operation that becomes a template."""

    def module_text(self, op: Operation, dialects: Iterable[Dialect] = ()) -> str:
        """The aliases that `op` uses, the text of `op`, a newline, and the resources of `dialects`, if any."""
        self.print_op(op)
        if dialects:
            self.print_metadata(dialects)
        text = "".join(self._parts)
        if not self.print_debuginfo:
            return f"{self._aliases.definitions()}{text}\n"
        early, text, deferred = self._locations.filled(text)
        return f"{self._aliases.definitions(early)}{text}\n{deferred}"

    def attribute_text(self, attribute: Attribute) -> str:
        """The text of `attribute` alone, without aliases."""
        self._may_alias = False
        return self._capture(lambda: self._print_in_full(attribute))

    # Text

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        if "\n" in text:
            text = text.replace("\n", "\n" + " " * ((self._indent if indent is None else indent) * 2))
        self._parts.append(text)

    def _print_new_line(self, indent: int | None = None, print_message: bool = True) -> None:
        self._parts.append("\n" + "  " * (self._indent if indent is None else indent))

    def print_list(self, elems: Iterable[Any], print_fn: Callable[[Any], Any], delimiter: str = ", ") -> None:
        separate = False
        for elem in elems:
            if separate:
                self._parts.append(delimiter)
            separate = True
            print_fn(elem)

    def print_string_literal(self, string: str) -> None:
        self._parts.append(self._quoted(string))

    @staticmethod
    def _quoted(string: str) -> str:
        return f'"{_NOT_PLAIN.sub(_escape, string)}"'

    def print_float(self, value: float, type: AnyFloat) -> None:
        self._parts.append(float_text(value, type))

    # Values and blocks

    def _names(self) -> ValueNames:
        if self._value_names is None:
            raise ValueError("values are named when the operation around them is printed: print that one")
        return self._value_names

    def print_ssa_value(self, value: SSAValue) -> str:
        name = self._names().of(value)
        self._written.append((len(self._parts), value))
        self._parts.append(name)
        return name[1:]

    def print_operand(self, operand: SSAValue) -> None:
        self._written.append((len(self._parts), operand))
        self._parts.append(self._names().of(operand))

    def _print_results(self, op: Operation) -> None:
        if op.results:
            self._written.append((len(self._parts), None))
            self._parts.append(self._names().results(op))
            self._parts.append(" = ")

    def _populate_block_name(self, block: Block, block_index: int | None = None) -> None:
        self._blocks[block] = f"bb{block_index or 0}"

    # Attributes

    def print_attribute(self, attribute: Attribute) -> None:
        if self.print_debuginfo and is_location(attribute):  # of an argument that xDSL prints
            self._parts.append(self._locations.of_argument(attribute))
            return
        known = self._attribute_texts.get(id(attribute))
        if known is None:
            known = attribute, self._attribute_text(attribute)
            self._attribute_texts[id(attribute)] = known
        text = known[1]
        self._parts.append(text[len(LLVM_TYPE) :] if self._in_llvm_type and text.startswith(LLVM_TYPE) else text)

    def _attribute_text(self, attribute: Attribute) -> str:
        if self._may_alias and (stem := alias_stem(attribute)) is not None:
            return self._aliases.name(stem, lambda: self._capture(lambda: self._print_in_full(attribute)))
        return self._capture(lambda: self._print_in_full(attribute))

    def _print_in_full(self, attribute: Attribute) -> None:
        around, self._in_llvm_type = self._in_llvm_type, attribute.name.startswith("llvm.")
        if (text := TEXTS.get(type(attribute))) is not None:
            self._parts.append(text(attribute))
        elif isinstance(attribute, ArrayAttr):
            self._parts.append("[")
            self.print_list(cast(ArrayAttr[Attribute], attribute).data, self._print_array_element)
            self._parts.append("]")
        elif isinstance(attribute, DenseIntOrFPElementsAttr):
            self._parts.append(f"{dense_text(cast(Dense, attribute))} : ")
            self.print_attribute(cast(Dense, attribute).type)
        else:
            super().print_attribute(attribute)
        self._in_llvm_type = around

    def _print_array_element(self, attribute: Attribute) -> None:
        """Arrays elide the types of 64-bit numbers, except behind the hexadecimal digits of a float."""
        match attribute:
            case IntegerAttr(value=value, type=IntegerType() as type) if (
                type.width.data == 64 and type.signedness.data == Signedness.SIGNLESS
            ):
                self._parts.append(str(value.data))
            case FloatAttr(value=value, type=Float64Type() as type):
                self._parts.append(text := float_text(value.data, type))
                if text.startswith("0x"):
                    self._parts.append(" : f64")
            case _:
                self.print_attribute(attribute)

    def _capture(self, write: Callable[[], None]) -> str:
        parts, self._parts = self._parts, []
        written, self._written = self._written, []
        try:
            write()
            return "".join(self._parts)
        finally:
            self._parts, self._written = parts, written

    def print_attr_dict(self, attr_dict: Mapping[str, Attribute]) -> None:
        self._parts.append("{")
        self.print_list(sorted(attr_dict.items()) if len(attr_dict) > 1 else attr_dict.items(), self._print_attr_string)
        self._parts.append("}")

    def print_identifier_or_string_literal(self, string: str | StringAttr) -> None:
        if isinstance(string, StringAttr):  # from xDSL 0.75 on, which prints names of symbols so
            string = string.data
        if MLIRLexer.bare_identifier_regex.fullmatch(string) is None:
            self.print_string_literal(string)
        else:
            self._parts.append(string)

    # Operations

    def print_op(self, op: Operation) -> None:
        if self._value_names is None:
            self._value_names = ValueNames(op, suggestions=not self.print_generic_format)
        if not self.print_debuginfo:
            self._print_without_location(op)
            return
        location = self._locations.of_operation(op.location)  # before those inside, which decides its number
        self._print_without_location(op)
        self._parts.append(f" {location}")

    def _print_without_location(self, op: Operation) -> None:
        templates = self._templates
        key = None
        if templates is not None and can_be_alike(type(op), self.print_generic_format):
            key = text_key(op, self._default_dialects[-1])
        if templates is None or key is None:
            self._print_in_turn(op)
        elif (template := templates.get(key)) is not None:
            self._parts.append(template.fill(op, self._names()))
        elif key in templates:  # as None: its text depends on more than the key
            self._print_in_turn(op)
        else:
            around, self._parts, self._written = self._parts, [], []
            self._print_in_turn(op)
            templates[key] = TextTemplate.of(op, self._parts, self._written)
            around += self._parts
            self._parts = around

    def _print_in_turn(self, op: Operation) -> None:
        """Print `op` without a template."""
        row = format_of(type(op))
        write = row.print if row is not None and row.print is not None else None
        if self.print_generic_format or (write is None and Operation.print is type(op).print):
            super().print_op(op)
            return
        self._print_results(op)
        name = op.name
        prefix = self._default_dialects[-1]
        # Only if the short name is unambiguous: `func.a.b` keeps its prefix.
        if prefix and name.startswith(prefix) and name.count(".") == 1:
            name = name[len(prefix) :]
        self._parts.append(name)
        if write is not None:
            write(op, self)
        else:
            op.print(self)

    def print_operation_type(self, op: Operation) -> None:
        """As xDSL's, without the location, which `print_op` adds."""
        self.print_function_type(op.operand_types, op.result_types)

    def enter_scope(self) -> None:
        """Nothing to do: all names are assigned before printing starts."""

    def exit_scope(self) -> None:
        """Nothing to do: see `enter_scope`."""

    def print_region(
        self,
        region: Region,
        print_entry_block_args: bool = True,
        print_empty_block: bool = True,
        print_block_terminators: bool = True,
    ) -> None:
        parent = region.parent
        self._default_dialects.append(DEFAULT_DIALECTS.get(parent.name, "") if parent is not None else "")
        for index, block in enumerate(region.blocks):
            self._populate_block_name(block, index)
        predecessors = _predecessors(region)
        self._parts.append("{")
        entry = region.blocks.first
        for block in region.blocks:
            labelled = block is not entry or (
                (bool(block.args) and print_entry_block_args)
                or (not block.ops and print_empty_block)
                or bool(predecessors.get(block))
            )
            if labelled:
                self._print_label(block, predecessors, is_entry=block is entry)
            self._print_body(block, print_block_terminators)
        self._print_new_line()
        self._parts.append("}")
        self._default_dialects.pop()

    def print_block(self, block: Block, print_block_args: bool = True, print_block_terminator: bool = True) -> None:
        if print_block_args:
            if block not in self._blocks:
                self._populate_block_name(block)
            self._print_label(block, {}, is_entry=True)
        self._print_body(block, print_block_terminator)

    def _print_label(self, block: Block, predecessors: Mapping[Block, Sequence[Block]], is_entry: bool) -> None:
        self._print_new_line()
        self._print_head(block, self._blocks[block])
        names = ", ".join(f"^{self._blocks[before]}" for before in predecessors.get(block, ()))
        match len(predecessors.get(block, ())):
            case 0 if is_entry:
                pass
            case 0:
                self._parts.append("  // no predecessors")
            case 1:
                self._parts.append(f"  // pred: {names}")
            case count:
                self._parts.append(f"  // {count} preds: {names}")

    def _print_head(self, block: Block, name: str) -> None:
        """`^name(%a: f32):`"""
        self._parts.append(f"^{name}")
        if block.args:
            self._parts.append("(")
            self.print_list(block.args, self.print_block_argument)
            self._parts.append(")")
        self._parts.append(":")

    def _print_body(self, block: Block, with_terminator: bool) -> None:
        self._indent += 1
        print_op = self.print_op if self.print_debuginfo else self._print_without_location
        new_line = "\n" + "  " * self._indent
        for op in block.ops:
            if with_terminator or not op.has_trait(IsTerminator, value_if_unregistered=False):
                self._parts.append(new_line)
                print_op(op)
        self._indent -= 1

    def print_block_argument(self, arg: BlockArgument, print_type: bool = True) -> None:
        self._parts.append(self._names().of(arg))
        if print_type:
            self._parts.append(": ")
            self.print_attribute(arg.type)
            if self.print_debuginfo:
                self._parts.append(f" {self._locations.of_argument(arg.location)}")

    @contextmanager
    def indented(self, amount: int = 1):
        self._indent += amount
        yield
        self._indent -= amount


def _escape(match: re.Match[str]) -> str:
    text = match[0]
    return "\\\\" if text == "\\" else "".join(f"\\{byte:02X}" for byte in text.encode())


def _predecessors(region: Region) -> Mapping[Block, Sequence[Block]]:
    """The blocks that branch to each block, in the order in which they are printed."""
    found: dict[Block, list[Block]] = {}
    if region.first_block is region.last_block:
        return found
    for block in region.blocks:
        for successor in block.last_op.successors if block.last_op is not None else ():
            before = found.setdefault(successor, [])
            if block not in before[-1:]:
                before.append(block)
    return found
