"""The faults that mutants have: which edits each kind of syntax admits."""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

COMPARISONS: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
OTHER_FUNCTION: Mapping[str, str] = {"any": "all", "all": "any", "min": "max", "max": "min"}
DISPLAYS = (ast.Tuple, ast.List, ast.Set)
REMOVABLE = (ast.AugAssign, ast.Delete, ast.Raise, ast.Continue, ast.Break)


Position = tuple[int, int]
"""A line, from 1, and a column in bytes, from 0."""


def start_of(node: ast.expr | ast.stmt) -> Position:
    return node.lineno, node.col_offset


def end_of(node: ast.expr | ast.stmt) -> Position:
    assert node.end_lineno is not None and node.end_col_offset is not None
    return node.end_lineno, node.end_col_offset


@dataclass(frozen=True, slots=True)
class Edit:
    """Write `after` instead of the text from `start` to `end`."""

    start: Position
    end: Position
    after: str


def replaced(node: ast.expr | ast.stmt, after: str) -> Edit:
    return Edit(start_of(node), end_of(node), after)


def _in_parentheses(node: ast.expr) -> str:
    text = ast.unparse(node)
    return f"({text})" if isinstance(node, ast.BoolOp | ast.BinOp | ast.Compare | ast.UnaryOp | ast.IfExp) else text


def _constant(node: ast.Constant) -> Iterator[Edit]:
    if isinstance(node.value, bool):
        yield replaced(node, str(not node.value))
    elif isinstance(node.value, int):
        yield replaced(node, str(node.value + 1))
        if node.value > 0:
            yield replaced(node, str(node.value - 1))


def _comparison(node: ast.Compare) -> Iterator[Edit]:
    for position, operator in enumerate(node.ops):
        for other in COMPARISONS[type(operator)]:
            operators = [*node.ops[:position], other(), *node.ops[position + 1 :]]
            yield replaced(node, _in_parentheses(ast.Compare(node.left, operators, node.comparators)))
    for comparator in node.comparators:
        if any(isinstance(operator, ast.In | ast.NotIn) for operator in node.ops) and isinstance(comparator, DISPLAYS):
            yield from _without_each_member(comparator)


def _boolean(node: ast.BoolOp) -> Iterator[Edit]:
    other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield replaced(node, _in_parentheses(ast.BoolOp(other, node.values)))
    for position in range(len(node.values)):
        left = [*node.values[:position], *node.values[position + 1 :]]
        yield replaced(node, _in_parentheses(ast.BoolOp(node.op, left) if len(left) > 1 else left[0]))


def _unary(node: ast.UnaryOp) -> Iterator[Edit]:
    if isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield replaced(node, _in_parentheses(node.operand))


def _arithmetic(node: ast.BinOp) -> Iterator[Edit]:
    if isinstance(node.op, ast.BitOr | ast.BitAnd | ast.BitXor):
        yield replaced(node, _in_parentheses(node.left))
        yield replaced(node, _in_parentheses(node.right))
    elif (other := ARITHMETIC.get(type(node.op))) and not any(_is_string(each) for each in (node.left, node.right)):
        yield replaced(node, _in_parentheses(ast.BinOp(node.left, other(), node.right)))


def _is_string(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _condition(node: ast.IfExp) -> Iterator[Edit]:
    yield replaced(node.test, "True")
    yield replaced(node.test, "False")


def _filter(node: ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp) -> Iterator[Edit]:
    for generator in node.generators:
        for condition in generator.ifs:
            yield replaced(condition, "True")
            yield replaced(condition, "False")


def _call(node: ast.Call) -> Iterator[Edit]:
    if isinstance(node.func, ast.Name) and (other := OTHER_FUNCTION.get(node.func.id)):
        yield replaced(node.func, other)
    if isinstance(node.func, ast.Name) and node.func.id == "isinstance" and isinstance(node.args[1], ast.Tuple):
        yield from _without_each_member(node.args[1])


def _slice(node: ast.Slice) -> Iterator[Edit]:
    for bound in filter(None, (node.lower, node.upper)):
        if not isinstance(bound, ast.Constant):
            yield replaced(bound, _in_parentheses(ast.BinOp(bound, ast.Add(), ast.Constant(1))))
            yield replaced(bound, _in_parentheses(ast.BinOp(bound, ast.Sub(), ast.Constant(1))))


def _rows(node: ast.Dict) -> Iterator[Edit]:
    keys = [key for key in node.keys if key is not None]
    if len(keys) == len(node.keys):  # no `**row`
        yield from _without_each(keys, node)


def _without_each_member(node: ast.Tuple | ast.List | ast.Set) -> Iterator[Edit]:
    yield from _without_each(node.elts, node)


def _without_each(members: Sequence[ast.expr], display: ast.expr) -> Iterator[Edit]:
    """Remove each of at least two members, given by where they start, with its comma."""
    bare = isinstance(display, ast.Tuple) and start_of(display) == start_of(members[0]) if members else False
    line, column = end_of(display)
    ends = [*map(start_of, members[1:]), (line, column if bare else column - 1)]
    if len(members) > 1:
        yield from (Edit(start_of(member), end, "") for member, end in zip(members, ends, strict=True))


EDITS: Mapping[type[ast.AST], Callable[[Any], Iterator[Edit]]] = {
    ast.Constant: _constant,
    ast.Compare: _comparison,
    ast.BoolOp: _boolean,
    ast.UnaryOp: _unary,
    ast.BinOp: _arithmetic,
    ast.IfExp: _condition,
    ast.GeneratorExp: _filter,
    ast.ListComp: _filter,
    ast.SetComp: _filter,
    ast.DictComp: _filter,
    ast.Call: _call,
    ast.Slice: _slice,
    ast.Dict: _rows,
}
"""The edits of an expression, without those of the expressions in it."""


def statement_edits(statement: ast.stmt) -> Iterator[Edit]:
    """Delete a statement whose effect others read; decide a condition."""
    if _is_removable(statement):
        yield replaced(statement, "pass")
    if isinstance(statement, ast.If):
        yield replaced(statement.test, "True")
    if isinstance(statement, ast.If | ast.While) and not isinstance(statement.test, ast.Constant):
        yield replaced(statement.test, "False")
    for case in statement.cases if isinstance(statement, ast.Match) else ():
        if case.guard is not None:
            yield replaced(case.guard, "True")
            yield replaced(case.guard, "False")


def _is_removable(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign):
        return isinstance(statement.targets[0], ast.Attribute | ast.Subscript)
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Call | ast.Yield | ast.YieldFrom)
    return isinstance(statement, REMOVABLE) or (isinstance(statement, ast.Return) and statement.value is None)


def member_edits(statement: ast.stmt, at_import: bool) -> Iterator[Edit]:
    """Remove a member of a tuple, list or set that a table of the module, or a return statement, is."""
    if isinstance(statement, ast.Assign | ast.AnnAssign) and at_import:
        value = statement.value
        if isinstance(value, ast.Call) and len(value.args) == 1:  # as in `frozenset((a, b))`
            value = value.args[0]
    else:
        value = statement.value if isinstance(statement, ast.Return) else None
    if isinstance(value, DISPLAYS):
        yield from _without_each_member(value)


def return_edits(function: ast.FunctionDef) -> Iterator[Edit]:
    """Return another value of the annotated type."""
    annotation = ast.unparse(function.returns) if function.returns else ""
    for node in _own_statements(function.body):
        if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
            yield from (replaced(node.value, after) for after in _other_values(annotation, node.value))


def _other_values(annotation: str, value: ast.expr) -> Sequence[str]:
    text = _in_parentheses(value)
    if annotation == "bool":
        return (f"not {text}",)
    if annotation == "int":
        return (f"{text} + 1",)
    if annotation.endswith("| None"):
        return ("None",)
    if annotation.startswith(("tuple", "Sequence")) and ast.unparse(value) != "()":
        return ("()",)
    return ("[]",) if annotation.startswith("list") else ()


def _own_statements(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The statements of a function, without those of functions in it."""
    for node in body:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            yield from _own_statements([*ast.iter_child_nodes(node)])
