"""
Parser of indexing maps: `(d0, d1)[s0]{rt0} -> (d0, d1 + s0), domain: d0 in [1, 2], d1 in [5, 8], ...`.

Variables have any name. `d0`, `s0` and `rt0` are the names of variables without a name, whatever their number in the
text. `str` of a map is the printer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from xdsl.ir.affine import AffineBinaryOpKind, AffineConstantExpr, AffineExpr, AffineMap

from xshardy.affine.expressions import BUILDERS, EXTREMA, constant, dim, mul, sym
from xshardy.affine.indexing_map import IndexingMap
from xshardy.affine.interval import Interval
from xshardy.affine.variables import NOWHERE, Constraint, Variable


class IndexingMapSyntaxError(ValueError):
    """Text that is not an indexing map: `message` describes the error at `text[position]`."""

    def __init__(self, message: str, text: str, position: int):
        super().__init__(f"{message} at position {position} of indexing map: {text}")
        self.message = message
        self.text = text
        self.position = position


def parse_indexing_map(text: str) -> IndexingMap:
    """The map that `text` describes. Raises `IndexingMapSyntaxError`."""
    return _Parser(text).indexing_map()


def parse_symbolic_map(text: str) -> AffineMap:
    """The map without a domain, `(d0)[s0] -> (max(d0, s0))`, that `text` describes. Raises `IndexingMapSyntaxError`."""
    parser = _Parser(text)
    dims, ranges, runtimes = parser.variable_names()
    results = parser.results()
    if runtimes or parser.token:
        raise parser.error("expected a map without runtime variables and without a domain")
    return AffineMap(len(dims), len(ranges), tuple(results))


T = TypeVar("T")

_TOKEN = re.compile(r"\s*(?:(?P<name>[A-Za-z_]\w*)|(?P<number>\d+)|(?P<mark>->|[-+*/()\[\]{},:]))")
_DEFAULT_NAME = re.compile(r"(d|s|rt)\d+")

_MAX_OPERATORS = 200
"""The maximal number of operators in one expression: functions on expressions are recursive."""

_PRODUCTS: Mapping[str, AffineBinaryOpKind] = {
    "*": AffineBinaryOpKind.Mul,
    "floordiv": AffineBinaryOpKind.FloorDiv,
    "floorDiv": AffineBinaryOpKind.FloorDiv,
    "/": AffineBinaryOpKind.FloorDiv,
    "ceildiv": AffineBinaryOpKind.CeilDiv,
    "ceilDiv": AffineBinaryOpKind.CeilDiv,
    "mod": AffineBinaryOpKind.Mod,
}
"""Operators that bind more tightly than addition; all have one precedence and associate to the left."""


_FUNCTIONS: Mapping[str, AffineBinaryOpKind] = {name: kind for kind, name in EXTREMA.items()}

_KEYWORDS = {"domain", "in", "is_simplified", *filter(str.isidentifier, _PRODUCTS)}


class _Parser:
    """Recursive descent over the tokens of one text; each method reads the syntax element of its name."""

    def __init__(self, text: str):
        self.text = text
        self.position = 0
        self.token = ""
        self.start = 0
        self.variables: dict[str, AffineExpr] = {}
        self.operators = 0
        self.advance()

    # -- Tokens -------------------------------------------------------------------------------------------------------

    def advance(self) -> str:
        """Go to the next token, `""` at the end, and return the one before."""
        read = self.token
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            self.start = len(self.text) - len(self.text[self.position :].lstrip())
            self.token = ""
            if self.start < len(self.text):
                raise self.error(f"unexpected character {self.text[self.start]!r}")
            return read
        self.token = match[match.lastgroup or 0]
        self.start = match.end() - len(self.token)
        self.position = match.end()
        return read

    def error(self, message: str, position: int | None = None) -> IndexingMapSyntaxError:
        return IndexingMapSyntaxError(message, self.text, self.start if position is None else position)

    def expect(self, token: str) -> None:
        if self.token != token:
            raise self.error(f"expected {token!r}, found {self.token or 'the end'!r}")
        self.advance()

    def take(self, token: str) -> bool:
        """Whether the next token is `token`; if so, consume it."""
        if self.token != token:
            return False
        self.advance()
        return True

    def separated(self, item: Callable[[], T], end: str) -> list[T]:
        """`item, item, ... end`, possibly without items."""
        items: list[T] = []
        while not self.take(end):
            if items:
                self.expect(",")
            items.append(item())
        return items

    # -- Syntax -------------------------------------------------------------------------------------------------------

    def variable_names(self) -> tuple[list[str], list[str], list[str]]:
        self.expect("(")
        dims = self.separated(self.variable_name, ")")
        ranges = self.separated(self.variable_name, "]") if self.take("[") else []
        runtimes = self.separated(self.variable_name, "}") if self.take("{") else []
        for names, variable in ((dims, dim), (ranges + runtimes, sym)):
            for i, name in enumerate(names):
                if name in self.variables:
                    raise self.error(f"variable {name} is declared twice: rename one of the two")
                self.variables[name] = variable(i)
        return dims, ranges, runtimes

    def results(self) -> list[AffineExpr]:
        self.expect("->")
        self.expect("(")
        return self.separated(self.expr, ")")

    def indexing_map(self) -> IndexingMap:
        declared = self.variable_names()
        results = self.results()
        bounds, constraints = self.domain()
        for name in self.variables:
            if name not in bounds:
                raise self.error(f"variable {name} has no bounds: add `{name} in [lower, upper]` to the domain")
        groups = (
            tuple(Variable("" if _DEFAULT_NAME.fullmatch(name) else name, bounds[name]) for name in names)
            for names in declared
        )
        return IndexingMap(tuple(results), *groups, constraints=tuple(constraints))

    def variable_name(self) -> str:
        if not self.token.isidentifier() or self.token in _KEYWORDS:
            raise self.error(f"expected the name of a variable, found {self.token or 'the end'!r}")
        return self.advance()

    def domain(self) -> tuple[dict[str, Interval], list[Constraint]]:
        """`, domain: expr in [0, 1], ..., is_simplified: true` up to the end; the last part is ignored."""
        names = {variable: name for name, variable in self.variables.items()}
        bounds: dict[str, Interval] = {}
        constraints: dict[Constraint, None] = {}
        while self.token:
            self.expect(",")
            if not self.token:  # a trailing comma is allowed
                break
            if self.take("is_simplified"):
                self.expect(":")
                if not (self.take("true") or self.take("false")):
                    raise self.error("expected 'true' or 'false'")
                continue
            if self.take("domain"):
                self.expect(":")
                if not self.token:
                    break
            expr = self.expr()
            interval = self.interval()
            name = names.get(expr)
            if name is not None:
                # A second interval for a variable narrows the first.
                interval = interval and bounds.get(name, interval).intersect(interval)
                bounds[name] = interval or bounds.get(name, Interval.point(0))
                if interval is None:
                    constraints[NOWHERE] = None
            else:
                constraints[NOWHERE if interval is None else Constraint(expr, interval)] = None
        return bounds, list(constraints)

    def interval(self) -> Interval | None:
        """`in [0, 1]`; None if it is empty."""
        self.expect("in")
        self.expect("[")
        lower = self.integer()
        self.expect(",")
        upper = self.integer()
        self.expect("]")
        return Interval(lower, upper) if lower <= upper else None

    def integer(self) -> int:
        sign = -1 if self.take("-") else 1
        if not self.token.isdigit():
            raise self.error(f"expected an integer, found {self.token or 'the end'!r}")
        return sign * int(self.advance())

    def count_operator(self) -> None:
        self.operators += 1
        if self.operators > _MAX_OPERATORS:
            raise self.error(f"expected at most {_MAX_OPERATORS} operators and parentheses in an expression")

    def expr(self) -> AffineExpr:
        self.operators = 0
        return self.sum()

    def sum(self) -> AffineExpr:
        result = self.product()
        while self.token in ("+", "-"):
            self.count_operator()
            subtract = self.advance() == "-"
            term = self.product()
            result = BUILDERS[AffineBinaryOpKind.Add](result, mul(term, constant(-1)) if subtract else term)
        return result

    def product(self) -> AffineExpr:
        result = self.operand()
        while (kind := _PRODUCTS.get(self.token)) is not None:
            self.count_operator()
            self.advance()
            start = self.start
            right = self.operand()
            is_divisor = isinstance(right, AffineConstantExpr) and (
                right.value > 0 or (right.value < 0 and kind is AffineBinaryOpKind.FloorDiv)
            )
            if kind is not AffineBinaryOpKind.Mul and not is_divisor:
                raise self.error("expected a positive constant as divisor", start)
            result = BUILDERS[kind](result, right)
        return result

    def operand(self) -> AffineExpr:
        if self.take("-"):
            self.count_operator()
            return mul(self.operand(), constant(-1))
        if self.take("("):
            self.count_operator()
            result = self.sum()
            self.expect(")")
            return result
        if self.token.isdigit():
            return constant(int(self.advance()))
        if (variable := self.variables.get(self.token)) is not None:
            self.advance()
            return variable
        if (function := _FUNCTIONS.get(self.token)) is not None:
            self.count_operator()
            self.advance()
            self.expect("(")
            first = self.sum()
            self.expect(",")
            second = self.sum()
            self.expect(")")
            return BUILDERS[function](first, second)
        if self.token.isidentifier():
            raise self.error(f"unknown variable {self.token}: declare it before the arrow")
        raise self.error(f"expected an expression, found {self.token or 'the end'!r}")
