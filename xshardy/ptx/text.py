"""
Reads the text of PTX as LLVM, XLA and Triton write it.

Statements end with `;`, except labels, `.loc` and other directives for debuggers, which end with the line, and blocks
in braces, which are scopes for registers and labels. Source: PTX ISA, "Syntax" and "Directives".
"""

import re
from bisect import bisect_right
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

from xshardy.ptx.constants import ConstantError
from xshardy.ptx.declarations import (
    DeclarationError,
    read_formals,
    read_parameters,
    read_registers,
    read_variable,
)
from xshardy.ptx.errors import PtxError
from xshardy.ptx.inlining import inlined, is_call
from xshardy.ptx.module import (
    Body,
    Entry,
    Function,
    Guard,
    Instruction,
    Module,
    Operand,
    Register,
    Symbol,
    Variable,
    Vector,
)
from xshardy.ptx.operands import OperandError, read_call, read_operands
from xshardy.ptx.special_registers import SPECIAL_REGISTERS
from xshardy.ptx.types import Type

MOST_NESTED = 4
"""Braces of an initial value within others."""
_COMMENT = re.compile(r'"[^"\n]*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_SPACE = re.compile(r"\s*")
_LABEL = re.compile(r"([A-Za-z_$%][\w$]*)\s*:(?!:)")
_LINE_DIRECTIVE = re.compile(r"\.(?:loc|file)\b[^\n]*")
_HEADER = re.compile(r"\.(version|target|address_size)\s+([^\n]*)")
_SECTION = re.compile(r"\.section\s+\S+\s*\{[^}]*\}")
_ENTRY = re.compile(r"(?:\.(?:visible|weak|extern)\s*)*\.entry\s+(?P<name>[\w$.]+)\s*(?:\((?P<parameters>[^)]*)\))?")
_FUNCTION = re.compile(
    r"(?:\.(?:visible|weak|extern)\s*)*\.func\s*(?:\.attribute\([^)]*\)\s*)?(?:\((?P<results>[^)]*)\)\s*)?"
    r"(?P<name>[\w$.]+)\s*(?:\((?P<parameters>[^)]*)\))?"
)
_DIRECTIVE = re.compile(r"\.(\w+)\s*((?:\d+\s*(?:,\s*\d+\s*)*)?)")
_braces = r"\{[^{}]*\}"
for _ in range(MOST_NESTED):
    _braces = rf"\{{[^{{}}]*(?:{_braces}[^{{}}]*)*\}}"
_STATEMENT = re.compile(rf"[^;{{}}]*(?:{_braces}[^;{{}}]*)*;")
_INSTRUCTION = re.compile(
    r"(?:@(?P<not>!?)(?P<guard>[\w$%]+)\s+)?(?P<opcode>[a-z][\w.:]*)\s*(?P<operands>.*);", re.DOTALL
)

TABLE = ".branchtargets"
SPACES = (".reg", ".shared", ".local", ".global", ".const", ".param")
AXES: Mapping[str, int] = {axis: number for axes in ("xyzw", "rgba") for number, axis in enumerate(axes)}
"""The elements of a vector by name."""


def read_ptx(text: str) -> Module:
    """The module in `text`. Raises `PtxError` for what cannot be read."""
    return _Reader(_COMMENT.sub(_blank, text)).module()


def _blank(comment: re.Match[str]) -> str:
    """Spaces for a comment, so that nothing moves; a string stays."""
    return comment[0] if comment[0].startswith('"') else re.sub(r"[^\n]", " ", comment[0])


@dataclass(slots=True)
class _Scope:
    """Registers, and variables for calls, that are declared between a pair of braces."""

    number: int
    """0 for the whole body."""
    renamed: dict[str, str] = field(default_factory=dict[str, str])
    groups: dict[str, tuple[Type, int]] = field(default_factory=dict[str, "tuple[Type, int]"])
    """The type and the number of the registers that `%r<N>` declares."""
    first: int = 0
    """The number of the first instruction."""
    labels: set[str] = field(default_factory=set[str])
    last_label: str = ""


class _OpenBody:
    """A body while it is read."""

    def __init__(self):
        self.registers: dict[str, Type] = {}
        self.variables: list[Variable] = []
        self.instructions: list[Instruction] = []
        self.labels: dict[str, int] = {}
        self.vectors: dict[str, tuple[Register, ...]] = {}
        """The registers of each vector."""
        self.tables: dict[str, Vector] = {}
        """The targets of the branches `brx.idx` with each table."""
        self.scopes = [_Scope(0)]
        self.scopes_seen = 0

    def open_scope(self) -> None:
        self.scopes_seen += 1
        self.scopes.append(_Scope(self.scopes_seen, first=len(self.instructions)))

    def close_scope(self) -> None:
        """End the innermost scope: branches in it go to its labels, which other scopes may have too."""
        scope = self.scopes.pop()
        if not scope.number or not scope.labels:
            return
        for number in range(scope.first, len(self.instructions)):
            instruction = self.instructions[number]
            name = instruction.opcode.partition(".")[0]
            if name in ("bra", "brx"):
                operands = tuple(_in_scope(scope, operand) for operand in instruction.operands)
                self.instructions[number] = replace(instruction, operands=operands)

    def add_label(self, name: str) -> bool:
        """Let `name` stand for the next instruction; False if it already stands for one in this scope."""
        scope = self.scopes[-1]
        if name in scope.labels:
            return False
        scope.labels.add(name)
        scope.last_label = name
        self.labels[_label_in(scope, name)] = len(self.instructions)
        return True

    def add_table(self, targets: str) -> None:
        """Note the labels that the last one, a table, stands for."""
        names = [name.strip() for name in targets.split(",")]
        self.tables[self.scopes[-1].last_label] = Vector(tuple(map(Symbol, names)))

    def declare(self, declaration: str) -> None:
        """Declare the registers of a `.reg`. Those of inner scopes are renamed if the name is in use."""
        scope = self.scopes[-1]
        for name, count, type, width in read_registers(declaration):
            if count is not None:
                scope.groups[name] = (type, count)
                continue
            renamed = f"{name}@{scope.number}" if scope.number else name
            scope.renamed[name] = renamed
            if width > 1:
                self.vectors[renamed] = tuple(Register(f"{renamed}.{number}") for number in range(width))
                self.registers |= {element.name: type for element in self.vectors[renamed]}
            else:
                self.registers[renamed] = type

    def add_variable(self, variable: Variable) -> None:
        """Add a variable. Those that pass values to calls have the same names in many scopes."""
        scope = self.scopes[-1]
        if scope.number and variable.space == "param":
            renamed = scope.renamed[variable.name] = f"{variable.name}@{scope.number}"
            variable = replace(variable, name=renamed)
        self.variables.append(variable)

    def rename(self, name: str) -> str:
        """What a name in the text stands for; a register of a group is noted as in use."""
        for scope in reversed(self.scopes):
            if name in scope.renamed:
                return scope.renamed[name]
            if (type := _of_group(scope, name)) is not None:
                renamed = scope.renamed[name] = f"{name}@{scope.number}" if scope.number else name
                self.registers[renamed] = type
                return renamed
        return name

    def resolve(self, name: str) -> Register | Vector | Symbol:
        """What a name in the text is: a register, the registers of a vector, or another symbol."""
        vector, _, axis = name.partition(".")
        if axis in AXES and (elements := self.vectors.get(self.rename(vector), ()))[AXES[axis] :]:
            return elements[AXES[axis]]
        renamed = self.rename(name)
        if renamed in self.vectors:
            return Vector(self.vectors[renamed])
        is_register = renamed in self.registers or renamed in SPECIAL_REGISTERS
        return Register(renamed) if is_register else Symbol(renamed)


def _of_group(scope: _Scope, name: str) -> Type | None:
    """The type of a register that a group of a scope declares; None for another name."""
    prefix = name.rstrip("0123456789")
    digits = name[len(prefix) :]
    type, count = scope.groups.get(prefix, (None, 0))
    return type if digits and int(digits) < count else None


class _Reader:
    """A position in a text without comments."""

    def __init__(self, text: str):
        self.text = text
        self.at = 0
        self.functions: dict[str, int] = {}
        """Where the header of each device function starts."""

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def line(self, at: int | None = None) -> int:
        return bisect_right(self._line_starts, self.at if at is None else at)

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Step over `pattern`, if it is next."""
        found = pattern.match(self.text, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def error(self, message: str) -> PtxError:
        return PtxError(self.line(), message)

    @contextmanager
    def _at_line(self, line: int) -> Generator[None]:
        """Errors about declarations and operands within the context are errors of this line."""
        try:
            yield
        except (ConstantError, DeclarationError, OperandError) as error:
            raise PtxError(line, str(error)) from None

    def module(self) -> Module:
        headers: dict[str, str] = {}
        entries: dict[str, Entry] = {}
        variables: dict[str, Variable] = {}
        while True:
            self.match(_SPACE)
            if self.at == len(self.text):
                break
            if header := self.match(_HEADER):
                headers[header[1]] = header[2].strip()
            elif self.match(_LINE_DIRECTIVE) or self.match(_SECTION):
                continue
            elif entry := self.match(_ENTRY):
                entries[entry["name"]] = self._entry(entry)
            elif function := self.match(_FUNCTION):
                self._skip_function(function)
            else:
                for variable in self._variables():
                    variables[variable.name] = variable
        if headers.get("address_size", "64") != "64":
            raise PtxError(1, f"addresses have {headers['address_size']} bits: only 64 are supported")
        target = headers.get("target", "").partition(",")[0].strip()
        refused: dict[str, PtxError] = {}
        for name, entry in [*entries.items()]:
            try:
                entries[name] = replace(entry, body=inlined(entry.body, self.function, (*self.functions,)))
            except PtxError as error:
                refused[name] = error
        functions = (*self.functions, *entries)
        for variable in (*variables.values(), *(local for entry in entries.values() for local in entry.body.variables)):
            names = {pointer.symbol.name for pointer in variable.pointers}
            if missing := sorted(names - variables.keys() - {*functions}):
                raise PtxError(variable.line, f"{missing[0]} is not declared")
        return Module(headers.get("version", ""), target, entries, variables, functions, refused)

    def _skip_function(self, header: re.Match[str]) -> None:
        """Step over a device function or its declaration: it is read where it is called."""
        depth = 0
        for match in re.compile(r"[{};]").finditer(self.text, self.at):
            depth += {"{": 1, "}": -1, ";": 0}[match[0]]
            if depth == 0:
                self.at = match.end()
                if match[0] == "}":
                    self.functions[header["name"]] = header.start()
                return
        raise self.error("the text ends within a function")

    def function(self, name: str) -> Function | None:
        """The device function `name`; None if there is none with a body."""
        if name not in self.functions:
            return None
        self.at = self.functions[name]
        header = self.match(_FUNCTION)
        assert header is not None
        with self._at_line(self.line(header.start())):
            results, parameters = (read_formals(header[part] or "") for part in ("results", "parameters"))
        self.at = self.text.index("{", self.at) + 1
        body = _OpenBody()
        body.registers |= {formal.name: formal.type for formal in (*results, *parameters) if formal.is_register}
        return Function(results, parameters, self._body(body))

    def _variables(self) -> tuple[Variable, ...]:
        line, statement = self.line(), self.match(_STATEMENT)
        if statement is None or not statement[0].startswith("."):
            raise PtxError(line, f"expected a directive, found '{self.text[self.at :].partition(chr(10))[0]}'")
        directive = statement[0].rstrip(";")
        if re.match(r"\.(?:pragma|alias|branchtargets|noreturn)\b", directive):
            return ()
        with self._at_line(line):
            return (read_variable(directive, line),)

    def _entry(self, header: re.Match[str]) -> Entry:
        line = self.line(header.start())
        with self._at_line(line):
            parameters = read_parameters(header["parameters"] or "")
        directives: dict[str, tuple[int, ...]] = {}
        self.match(_SPACE)
        while directive := self.match(_DIRECTIVE):
            directives[directive[1]] = tuple(int(part) for part in directive[2].split(",") if part.strip())
            self.match(_SPACE)
        if not self.text.startswith("{", self.at):
            raise self.error(f"expected the body of entry {header['name']}")
        self.at += 1
        return Entry(header["name"], line, parameters, directives, self._body(_OpenBody()))

    def _body(self, body: _OpenBody) -> Body:
        """Read what is between braces into `body`."""
        while body.scopes:
            self.match(_SPACE)
            if self.at == len(self.text):
                raise self.error("the text ends within an entry")
            char = self.text[self.at]
            if char == "{":
                self.at += 1
                body.open_scope()
            elif char == "}":
                self.at += 1
                body.close_scope()
            elif self.match(_LINE_DIRECTIVE):
                continue
            elif label := self.match(_LABEL):
                if not body.add_label(label[1]):
                    raise self.error(f"label {label[1]} is there twice")
            else:
                self._statement(body)
        return Body(body.registers, tuple(body.variables), tuple(body.instructions), body.labels)

    def _statement(self, body: _OpenBody) -> None:
        line, statement = self.line(), self.match(_STATEMENT)
        if statement is None:
            raise PtxError(line, f"expected an instruction, found '{self.text[self.at :].partition(chr(10))[0]}'")
        text = statement[0]
        with self._at_line(line):
            if not text.startswith("."):
                body.instructions.append(_instruction(text, line, body))
            elif text.startswith(".reg"):
                body.declare(text.rstrip(";"))
            elif text.startswith(SPACES):
                body.add_variable(read_variable(text.rstrip(";"), line))
            elif text.startswith(TABLE):
                body.add_table(text.removeprefix(TABLE).rstrip(";"))


def _in_scope(scope: _Scope, operand: Operand) -> Operand:
    """The operand of a branch, of which a label of this scope gets the name that it has in the body."""
    match operand:
        case Symbol(name) if name in scope.labels:
            return Symbol(_label_in(scope, name))
        case Vector(elements):
            return Vector(tuple(_in_scope(scope, element) for element in elements))
        case _:
            return operand


def _label_in(scope: _Scope, name: str) -> str:
    return f"{name}@{scope.number}" if scope.number else name


def _instruction(text: str, line: int, body: _OpenBody) -> Instruction:
    match = _INSTRUCTION.fullmatch(text)
    if match is None:
        raise OperandError(f"cannot read the instruction '{text}'")
    guard = None
    if match["guard"]:
        register = body.resolve(match["guard"])
        if not isinstance(register, Register):
            raise OperandError(f"{match['guard']} is no register")
        guard = Guard(register, bool(match["not"]))
    if is_call(match["opcode"]):
        return Instruction(line, match["opcode"], read_call(match["operands"], body.resolve), guard)
    operands = read_operands(match["operands"], body.resolve)
    if match["opcode"].startswith("brx."):
        operands = (*operands[:-1], _targets(operands[-1], body))
    return Instruction(line, match["opcode"], operands, guard)


def _targets(table: Operand, body: _OpenBody) -> Operand:
    """The labels that the table of a `brx.idx` has."""
    if not isinstance(table, Symbol) or table.name not in body.tables:
        raise OperandError("brx.idx needs a table of labels, declared before by .branchtargets")
    return body.tables[table.name]


def entry_of(module: Module, name: str | None = None) -> Entry:
    """The entry `name` of a module, or its only one. Raises `PtxError` if there is none, or its calls are refused."""
    entries: Mapping[str, Entry] = module.entries
    if name is None and len(entries) == 1:
        name = next(iter(entries))
    if name is not None and name in module.refused:
        raise module.refused[name]
    if name is not None and name in entries:
        return entries[name]
    known = ", ".join(entries) or "none"
    raise PtxError(1, f"choose an entry of the module ({known})" if name is None else f"no entry {name}, only {known}")
