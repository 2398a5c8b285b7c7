"""
The mutants of a module: copies of its text with one small fault each.

Never changed: docstrings and other text, error messages, annotations and names of types, decorators, imports and
assertions, which state what holds without them.
"""

import ast
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate

from edits import EDITS, Edit, Position, member_edits, return_edits, statement_edits

ERROR_CALLS = ("Error", "Exception", "raise_error", "refuse", "warn", "cast", "TypeVar", "VarConstraint")
"""How the names of functions end whose arguments are not changed: most write a message."""
PRINTED = ("__repr__", "__str__")
SPECIAL_NAMES = ("__all__", "__slots__")
BUILTIN_TYPES = ("bool", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple")
HEADER_FIELDS: Mapping[type[ast.stmt], str] = {ast.Match: "cases"}
"""The field with the inner statements of a compound statement, where it is not `body`."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """
    The edit `before` -> `after` of the text `start:end` (in bytes) of a module.

    `lines` are those of the edited text and `statement` those of the statement around it without inner statements: what
    a test executes that can find the fault. `at_import`: the text runs when the module is imported.
    """

    scope: str
    line_text: str
    before: str
    after: str
    start: int
    end: int
    lines: range
    statement: range
    at_import: bool
    occurrence: int = 1

    @property
    def key(self) -> str:
        """What identifies this mutant in its module, and does so still after edits elsewhere in the module."""
        count = "" if self.occurrence == 1 else f" #{self.occurrence}"
        return f"{self.scope}: {self.line_text}: `{self.before}` -> `{self.after}`{count}"

    def text(self, source: str) -> str:
        """The text of the mutated module."""
        data = source.encode()
        return (data[: self.start] + self.after.encode() + data[self.end :]).decode()


def mutants_of(source: str) -> list[Mutant]:
    """All mutants of a module."""
    found: dict[str, Mutant] = {}
    for mutant in dict.fromkeys(_Finder(source).mutants()):
        while mutant.key in found:
            mutant = replace(mutant, occurrence=mutant.occurrence + 1)
        if mutant.after or _is_python(mutant.text(source)):
            found[mutant.key] = mutant
    return list(found.values())


def sample(mutants: list[Mutant], count: int, seed: str) -> list[Mutant]:
    """`count` of the mutants (all, if there are fewer): those of the smallest hashes, so that an edit moves few."""
    return sorted(mutants, key=lambda mutant: hashlib.sha256(f"{seed} {mutant.key}".encode()).digest())[:count]


class _Finder:
    def __init__(self, source: str):
        self.tree = ast.parse(source)
        self.data = source.encode()
        self.lines = self.data.splitlines(keepends=True)
        self.line_starts = [0, *accumulate(map(len, self.lines))]

    def mutants(self) -> Iterator[Mutant]:
        yield from self._block(self.tree.body, scope="", at_import=True)

    def _block(self, statements: list[ast.stmt], scope: str, at_import: bool) -> Iterator[Mutant]:
        for statement in statements:
            yield from self._statement(statement, scope, at_import)

    def _statement(self, statement: ast.stmt, scope: str, at_import: bool) -> Iterator[Mutant]:
        if isinstance(statement, ast.Import | ast.ImportFrom | ast.Assert) or _is_text(statement):
            return
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
            return
        lines = _header(statement)
        edits: list[Edit] = list(statement_edits(statement))
        if isinstance(statement, ast.FunctionDef):
            for default in (*statement.args.defaults, *filter(None, statement.args.kw_defaults)):
                edits += _expression_edits(default)
        elif isinstance(statement, ast.Match):
            edits += _expression_edits(statement.subject)
            for case in statement.cases:
                edits += _expression_edits(case.guard) if case.guard else ()
        elif not isinstance(statement, ast.Raise | ast.ClassDef) and not _is_special(statement):
            edits += member_edits(statement, at_import)
            for child in ast.iter_child_nodes(statement):
                if isinstance(child, ast.expr | ast.withitem) and child is not getattr(statement, "annotation", None):
                    edits += _expression_edits(child)
        for edit in edits:
            yield self._mutant(edit, lines, scope, at_import)
        yield from self._inner(statement, scope, at_import)

    def _inner(self, statement: ast.stmt, scope: str, at_import: bool) -> Iterator[Mutant]:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            scope = f"{scope}.{statement.name}" if scope else statement.name
            at_import = at_import and isinstance(statement, ast.ClassDef)
            if statement.name in PRINTED:
                return
            if isinstance(statement, ast.FunctionDef):
                for edit in return_edits(statement):
                    yield self._mutant(edit, range(edit.start[0], edit.end[0] + 1), scope, False)
        for field in ("body", "orelse", "finalbody"):
            yield from self._block(getattr(statement, field, []), scope, at_import)
        for inner in (*getattr(statement, "handlers", []), *getattr(statement, "cases", [])):
            yield from self._block(inner.body, scope, at_import)

    def _mutant(self, edit: Edit, statement: range, scope: str, at_import: bool) -> Mutant:
        start, end = self._offset(edit.start), self._offset(edit.end)
        return Mutant(
            scope=scope,
            line_text=self.lines[edit.start[0] - 1].decode().strip(),
            before=" ".join(self.data[start:end].decode().split()),
            after=edit.after,
            start=start,
            end=end,
            lines=range(edit.start[0], edit.end[0] + 1),
            statement=statement,
            at_import=at_import,
        )

    def _offset(self, position: Position) -> int:
        line, column = position
        return self.line_starts[line - 1] + column


def _expression_edits(root: ast.AST) -> Iterator[Edit]:
    """The edits of an expression and the expressions in it."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Call) and _writes_a_message(node)):
            continue
        for kind, edits in EDITS.items():
            if isinstance(node, kind):
                yield from edits(node)
        pending += (child for child in ast.iter_child_nodes(node) if not _states_a_fact(child, node))


def _is_python(text: str) -> bool:
    """Where a removal takes half of a pair of parentheses with it, the text is none."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _writes_a_message(call: ast.Call) -> bool:
    return ast.unparse(call.func).endswith(ERROR_CALLS)


def _states_a_fact(node: ast.AST, parent: ast.AST) -> bool:
    """
    Whether `node` is no behaviour: `strict=True` of `zip` asserts that lengths agree, `repr=False` of `field` shortens
    what a debugger prints, and `set[int]()` and `default_factory=set[int]` have the type of their members.
    """
    if isinstance(node, ast.keyword):
        return node.arg in ("strict", "repr")
    if not isinstance(node, ast.Subscript):
        return False
    if isinstance(parent, ast.keyword):
        return parent.arg == "default_factory"
    return isinstance(parent, ast.Call) and node is parent.func


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _is_special(statement: ast.stmt) -> bool:
    """Whether a statement assigns to a name for Python, or names a type: `Home = SSAValue | FunctionResult`."""
    if isinstance(statement, ast.AnnAssign):
        return ast.unparse(statement.annotation) == "TypeAlias"
    if not isinstance(statement, ast.Assign):
        return False
    target = ast.unparse(statement.targets[0])
    names_type = target.lstrip("_")[:1].isupper() and not target.isupper() and _is_type(statement.value)
    return target in SPECIAL_NAMES or names_type


def _is_type(value: ast.expr) -> bool:
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr):
        return _is_type(value.left) and _is_type(value.right)
    if isinstance(value, ast.Subscript):
        return _is_type(value.value)
    name = value.attr if isinstance(value, ast.Attribute) else value.id if isinstance(value, ast.Name) else ""
    return name in BUILTIN_TYPES or name[:1].isupper() or (isinstance(value, ast.Constant) and value.value is None)


def _header(statement: ast.stmt) -> range:
    """The lines of a statement without its inner statements."""
    inner = getattr(statement, HEADER_FIELDS.get(type(statement), "body"), None)
    if not inner:
        return range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    first = inner[0].pattern.lineno if isinstance(inner[0], ast.match_case) else inner[0].lineno
    return range(statement.lineno, max(first, statement.lineno + 1))
