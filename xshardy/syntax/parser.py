"""
xDSL's parser for the text of upstream's tools.

The syntax of single operations is in the rows of `formats`. Every error has a place in the text, also a violated
invariant of an attribute or operation that is being parsed.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyTensorType,
    AnyUnrankedTensorType,
    ModuleOp,
    TensorType,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue, TypeAttribute
from xdsl.parser import Parser as XDSLParser
from xdsl.parser import ParserState, UnresolvedOperand
from xdsl.parser.core import ForwardDeclaredValue
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input, Position, Span
from xdsl.utils.mlir_lexer import MLIRTokenKind
from xdsl.utils.str_enum import StrEnum

from xshardy.dialects.tensor_encoding import VerifiableTensorEncoding
from xshardy.syntax.formats import attribute_reader, format_of
from xshardy.syntax.lexer import Lexer
from xshardy.syntax.older_arrays import replace_older_arrays
from xshardy.syntax.parse_messages import in_upstream_words
from xshardy.syntax.template_parser import TemplateParser
from xshardy.syntax.unregistered import unregistered_attribute, unregistered_operation

RENAMED_DIALECTS: Mapping[str, str] = {"xla": "xla_gpu"}
"""Dialects whose operations, types and attributes upstream has moved, by their newer name."""
RENAMED_OPERATIONS: Mapping[str, str] = {
    f"mhlo.{name}": f"chlo.{name}" for name in ("acos", "acosh", "asin", "asinh", "atanh", "cosh", "erf", "sinh")
}
"""The functions that XLA writes in MHLO when it makes StableHLO of HLO, as TensorFlow's `stage="stablehlo"` does."""


_SIMPLE_TYPE = re.compile(r"(?:(?:tensor|vector|memref)<[?a-zA-Z0-9]+>|(?:index|[su]?i[0-9]+|b?f[0-9]+)(?![\w$.]))")
"""A type without references to an alias or a layout."""


_IN_BRACKETS = r"""-> | [^<>"/%\n] | "[^"\\\n]*+" """
_DIALECT_ATTRIBUTE = re.compile(
    rf"""\#[\w$-]+\.[\w$.-]+
    < (?: {_IN_BRACKETS} | < (?: {_IN_BRACKETS} | < (?: {_IN_BRACKETS} )*+ > )*+ > )*+ >""",
    re.VERBOSE,
)
"""An attribute of a dialect on one line, with angle brackets nested at most two deep in it."""


MOST_BITS = (1 << 24) - 1
"""The width of MLIR's widest integers."""


class InvalidIRError(ParseError, VerifyException):
    """A violated invariant of the IR: a `VerifyException` with a place in the text."""


class ScopedValues(dict[str, tuple[SSAValue, ...]]):
    """
    The values in scope, innermost region last. The end of a region removes its values.

    xDSL copies all names for each region, which takes quadratic time in functions with many values and regions.
    """

    def copy(self) -> "ScopedValues":
        return self

    def shrink(self, size: int) -> None:
        """Remove all but the first `size` values. No name is defined twice, so the remaining values did not change."""
        while len(self) > size:
            self.popitem()


class Parser(TemplateParser):
    """
    Parses a module, and records the places of its operations.

    With `templates`, operations whose lines differ only in value names are parsed once: see `templates`.
    """

    def __init__(self, ctx: Context, input: str | bytes, name: str = "<unknown>", *, templates: bool = True):
        super().__init__(ctx, "", name)
        self._values = self.ssa_values = ScopedValues()
        text = input.decode() if isinstance(input, bytes) else input
        self._parser_state = ParserState(Lexer(Input(text, name)))
        self.start_locations()
        self._forward_spans: dict[SSAValue, Span] = {}
        """The first use of each value that is not defined yet."""
        self._named_dialects: set[str] = set()
        """The dialects in the prefixes of attribute names."""
        # By their texts, which mean the same in the whole module: with shardings, 32 layers of a transformer take 21 us
        # an operation, and 50 without the two.
        self._attributes: dict[str, Attribute] = {}
        self._types: dict[str, TypeAttribute] = {}
        self._operation: str | None = None
        """The operation whose custom syntax is being parsed, if any."""
        self.start_templates(is_used=templates, may_be_located=" loc(" in text)

    def raise_error(
        self, msg: str, at_position: Span | Position | None = None, end_position: Position | None = None
    ) -> NoReturn:
        try:
            super().raise_error(msg, at_position, end_position)  # pyright: ignore[reportArgumentType, reportCallIssue]
        except ParseError as error:
            error.msg = in_upstream_words(msg, error.span.text, self._operation)
            raise

    def _raise_wrong_str_enum_value_error(self, enum_type: type[StrEnum], span: Span) -> NoReturn:
        if span.text.isidentifier():
            scope = enum_type.__module__.split(".")[2:3]  # the dialect, if it is one of ours
            self.raise_error(
                f"expected ::{'::'.join(('mlir', *scope, enum_type.__name__))} to be one of: {', '.join(enum_type)}",
                span,
            )
        self.raise_error("expected valid keyword", span)

    def parse_whole_attribute(self) -> Attribute:
        """The attribute that is the whole text."""
        attribute = self.parse_attribute()
        if self._current_token.kind != MLIRTokenKind.EOF:
            self.raise_error("expected the end of the text after an attribute")
        return attribute

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        module = self._parse_operations() if allow_implicit_module else super().parse_module(False)
        self.check_locations()
        return module

    def _parse_operations(self) -> ModuleOp:
        """Parse the whole text: a module, or operations outside of a module. Without any, the module is empty."""
        operations: list[Operation] = []
        while self._current_token.kind != MLIRTokenKind.EOF:
            match self._current_token.kind:
                case MLIRTokenKind.HASH_IDENT | MLIRTokenKind.EXCLAMATION_IDENT:
                    self._parse_alias_def()
                case MLIRTokenKind.FILE_METADATA_BEGIN:
                    self._parse_file_metadata_dictionary()
                case _:
                    operations.append(self.expect(self.parse_optional_operation, "expected an operation"))
        for name, references in self.forward_ssa_references.items():
            for value in references.values():
                self.raise_error(f"use of undeclared SSA value name %{name}", self._forward_spans.get(value))
        match operations:
            case [ModuleOp() as module]:
                return module
            case _:
                return ModuleOp(operations)

    def _read_operation(self) -> tuple[Operation, Sequence[tuple[Span, int]]]:
        around, self._operation = self._operation, None
        span = self._current_token.span
        results = self._parse_op_result_list()
        name_span = self._current_token.span
        custom = (token := self._parse_optional_token(MLIRTokenKind.BARE_IDENT)) is not None
        name = (
            token.text if token is not None else self.expect(self.parse_optional_str_literal, "expected an operation")
        )
        op_type = self._op_type(name, name_span)
        dialects = self._parser_state.dialect_stack
        dialects.append(op_type.dialect_name())
        self._operation = op_type.name if custom else None
        try:
            op = self._parse_custom(op_type, name) if custom else self._parse_generic_operation(op_type)
        except (ParseError, RecursionError):
            raise
        except VerifyException as error:
            raise InvalidIRError(name_span, f"'{op_type.name}' op {error}") from error
        except Exception as error:
            # Exceptions of xDSL's constructors have no place in the text.
            self._operation = None
            self.raise_error(f"'{op_type.name}' op cannot be built from this text: {error}", name_span)
        dialects.pop()
        self._operation = None
        self.places.append((op, name_span.start, name_span.end))

        bound = sum(size for _, size in results)
        if bound not in (0, len(op.results)):
            self.raise_error(f"'{op.name}' op has {len(op.results)} results, but {bound} names are bound to them", span)
        first = 0
        for result_span, size in results:
            self._register_ssa_definition(result_span.text[1:], op.results[first : first + size], result_span)
            first += size
        self._operation = around
        return op, results

    def _parse_custom(self, op_type: type[Operation], name: str) -> Operation:
        if name in RENAMED_OPERATIONS:
            op = self._parse_function(op_type)
        else:
            row = format_of(op_type)
            op = row.parse(self) if row is not None and row.parse is not None else op_type.parse(self)
        if (location := self.parse_optional_location()) is not None:
            op.location = location
        return op

    def _parse_generic_operation(self, op_type: type[Operation]) -> Operation:
        op = super()._parse_generic_operation(op_type)
        replace_older_arrays(op_type, op.properties)
        return op

    def _parse_function(self, op_type: type[Operation]) -> Operation:
        """A function of one tensor as MHLO writes it, `%x : tensor<4xf32>`: CHLO also writes the type of the result."""
        operand = self.parse_unresolved_operand()
        attributes = self.parse_optional_attr_dict()
        self.parse_punctuation(":")
        type = self.parse_type()
        return op_type.create(
            operands=[self.resolve_operand(operand, type)], result_types=[type], attributes=attributes
        )

    def _op_type(self, name: str, span: Span) -> type[Operation]:
        dialects = self._parser_state.dialect_stack
        if "." not in name and dialects[-1] != "builtin":  # `module` is short for `builtin.module` in a module only
            dialects = [dialect for dialect in dialects if dialect != "builtin"]
        found = self.ctx.get_optional_op(current_name(name), dialect_stack=dialects)
        if found is None:
            self.raise_error(unregistered_operation(name, self.ctx, dialects), span)
        return found

    def _parse_extended_type_or_attribute(self, attr_or_dialect_name: str, is_type: bool) -> TypeAttribute:
        start = self._current_token.span
        around, self._operation = self._operation, None
        try:
            attribute: Any = super()._parse_extended_type_or_attribute(current_name(attr_or_dialect_name), is_type)
        except VerifyException as error:
            if isinstance(error, ParseError):
                raise
            raise InvalidIRError(start, str(error)) from error
        self._operation = around
        return attribute

    def _parse_dialect_type_or_attribute_body(
        self, attr_name: str, is_type: bool, is_opaque: bool, starting_opaque_pos: Position | None
    ) -> Any:
        if (read := attribute_reader(attr_name)) is not None:
            return read(self)
        try:
            return super()._parse_dialect_type_or_attribute_body(attr_name, is_type, is_opaque, starting_opaque_pos)
        except ParseError as error:
            if error.msg == f"'{attr_name}' is not registered":
                error.msg = unregistered_attribute(attr_name, self.ctx)
            raise

    def parse_optional_identifier_or_str_literal(self) -> str | None:
        """As xDSL's. Raises `ParseError` for quoted bytes that are no UTF-8."""
        if self._current_token.kind is MLIRTokenKind.BYTES_LIT:
            self.raise_error("expected a name in UTF-8")
        return super().parse_optional_identifier_or_str_literal()

    def _parse_attribute_entry(self) -> tuple[str, Attribute]:
        name, attribute = super()._parse_attribute_entry()  # pyright: ignore[reportPrivateUsage]
        dialect, dot, _ = name.partition(".")
        if dot and dialect not in self._named_dialects:
            self._named_dialects.add(dialect)
            # As in MLIR, this loads the dialect, because it verifies the attribute.
            self.ctx.get_optional_attr(name)
        return name, attribute

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        super()._register_ssa_definition(name, values, span)
        for value in values:
            value.name_hint = value.name_hint or None  # that of `%_0` is empty, and a copy of the value refuses it

    def resolve_operand(self, operand: UnresolvedOperand, type: Attribute) -> SSAValue:
        value = super().resolve_operand(operand, type)
        if isinstance(value, ForwardDeclaredValue):
            self._forward_spans.setdefault(value, operand.span)
        return value

    def parse_optional_region(self, arguments: Iterable[XDSLParser.Argument] | None = None) -> Region | None:
        if self._current_token.kind is not MLIRTokenKind.L_BRACE:
            return None
        size = len(self._values)
        # A name that the region defines is not that of an operation outside, which could not see the value.
        around, self.forward_ssa_references = self.forward_ssa_references, {}
        region = super().parse_optional_region(None if arguments is None else tuple(arguments))
        self._values.shrink(size)
        inside, self.forward_ssa_references = self.forward_ssa_references, around
        for name, references in inside.items():
            self._await(name, references)
        return region

    def _await(self, name: str, references: Mapping[int, ForwardDeclaredValue]) -> None:
        """Expect around a region what the operations in it read and neither it nor the text in front defines."""
        known = self.forward_ssa_references.setdefault(name, {})
        for index, value in references.items():
            if (first := known.setdefault(index, value)) is value:
                continue
            if first.type != value.type:
                self.raise_error(
                    f"operand is used with type {value.type}, but has been previously used or defined with type "
                    f"{first.type}",
                    self._forward_spans[value],
                )
            value.replace_all_uses_with(first)

    def parse_optional_attribute(self) -> Attribute | None:
        is_cached = self._templates is not None and self._current_token.kind is MLIRTokenKind.HASH_IDENT
        match = _DIALECT_ATTRIBUTE.match(self.lexer.input.content, self.pos) if is_cached else None
        if match is None:
            return super().parse_optional_attribute()
        known = self._attributes.get(match[0])
        if known is not None:
            self._resume_from(match.end())
            return known
        resources = len(self.dialect_resources)
        attribute = super().parse_optional_attribute()
        behind = self._token_at(match.end())
        is_whole_text = behind is not None and behind.span.start == self.pos
        if attribute is not None and is_whole_text and len(self.dialect_resources) == resources:
            self._attributes[match[0]] = attribute
        return attribute

    def _parse_optional_builtin_type(self) -> TypeAttribute | None:
        is_word = self._current_token.kind is MLIRTokenKind.BARE_IDENT
        match = _SIMPLE_TYPE.match(self.lexer.input.content, self.pos) if is_word else None
        if match is None:
            return super()._parse_optional_builtin_type()
        known = self._types.get(match[0])
        if known is not None:
            self._resume_from(match.end())
            return known
        width = match[0].lstrip("sui")
        if width.isdecimal() and (len(width) > 8 or int(width) > MOST_BITS):
            self.raise_error(f"integer bitwidth is limited to {MOST_BITS} bits")
        type = super()._parse_optional_builtin_type()
        if type is not None:
            self._types[match[0]] = type
        return type

    def parse_shape_dimension(self, allow_dynamic: bool = True) -> int:
        start = self._current_token.span
        try:
            size = super().parse_shape_dimension(allow_dynamic)
        except ValueError:  # more digits than Python's limit
            size = 1 << 63
        if size >= 1 << 63:
            self.raise_error("invalid dimension: it has more than 63 bits", start)
        return size

    def _parse_tensor_attrs(self) -> AnyTensorType | AnyUnrankedTensorType:
        start = self._current_token.span
        type = super()._parse_tensor_attrs()
        if isinstance(type, TensorType) and isinstance(type.encoding, VerifiableTensorEncoding):
            try:
                type.encoding.verify_encoding(type)
            except VerifyException as error:
                raise InvalidIRError(start, str(error)) from error
        return type


def current_name(name: str) -> str:
    """The name here of what another version of upstream calls `name`: an operation, attribute or type."""
    if (renamed := RENAMED_OPERATIONS.get(name)) is not None:
        return renamed
    dialect, dot, rest = name.partition(".")
    return f"{RENAMED_DIALECTS.get(dialect, dialect)}{dot}{rest}" if dot else name
