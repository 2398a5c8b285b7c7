"""
Constant expressions: integers of 64 bits with the operators of C.

A literal is signed unless it ends in `U` or needs all 64 bits. Source: PTX ISA, "Constant Expressions" and "Summary of
Constant Expression Evaluation Rules".
"""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

WARP_SIZE = "WARP_SZ"
"""The one constant with a name: 32."""
_TOKEN = re.compile(
    r"\s*(?:(?P<literal>0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|\d+U?)|(?P<name>WARP_SZ)|(?P<cast>\(\s*\.[su]64\s*\))"
    r"|(?P<operator><<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&|^~!?:()]))\s*"
)


class ConstantError(ValueError):
    """Text that is no integer constant."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A number within the range of its type, s64 or u64."""

    value: int
    is_unsigned: bool = False


def constant_of(value: int, is_unsigned: bool) -> Constant:
    """The number that the lowest 64 bits of `value` are."""
    bits = value % (1 << 64)
    return Constant(bits if is_unsigned or bits < 1 << 63 else bits - (1 << 64), is_unsigned)


def truncated_quotient(x: int, y: int) -> int:
    """The quotient, rounded towards zero."""
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


@dataclass(frozen=True, slots=True)
class _Operator:
    precedence: int
    """Operators with larger ones bind more."""
    apply: Callable[[int, int], int]
    is_unsigned: bool | None = None
    """Whether operands and result are u64; None for u64 if an operand is."""
    is_shift: bool = False
    """The result has the type of the first operand."""
    is_test: bool = False
    """The result is 0 or 1, of s64."""


_OPERATORS: Mapping[str, _Operator] = {
    "||": _Operator(0, lambda x, y: bool(x) or bool(y), is_test=True),
    "&&": _Operator(1, lambda x, y: bool(x) and bool(y), is_test=True),
    "|": _Operator(2, lambda x, y: x | y, is_unsigned=True),
    "^": _Operator(3, lambda x, y: x ^ y, is_unsigned=True),
    "&": _Operator(4, lambda x, y: x & y, is_unsigned=True),
    "==": _Operator(5, operator.eq, is_test=True),
    "!=": _Operator(5, operator.ne, is_test=True),
    "<": _Operator(6, operator.lt, is_test=True),
    "<=": _Operator(6, operator.le, is_test=True),
    ">": _Operator(6, operator.gt, is_test=True),
    ">=": _Operator(6, operator.ge, is_test=True),
    "<<": _Operator(7, lambda x, y: x << min(y, 64), is_shift=True),
    ">>": _Operator(7, lambda x, y: x >> min(y, 64), is_shift=True),
    "+": _Operator(8, operator.add),
    "-": _Operator(8, operator.sub),
    "*": _Operator(9, operator.mul),
    "/": _Operator(9, truncated_quotient),
    "%": _Operator(9, operator.mod, is_unsigned=True),
}


def read_constant(text: str) -> int:
    """The number that an expression is. Raises `ConstantError` for another text."""
    tokens: list[re.Match[str]] = []
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise ConstantError(f"'{text}' is no integer constant")
        tokens.append(token)
        at = token.end()
    reader = _Reader(text, tokens)
    found = reader.choice()
    if reader.at < len(tokens):
        raise reader.error()
    return found.value


class _Reader:
    """A place in the tokens of an expression."""

    def __init__(self, text: str, tokens: list[re.Match[str]]):
        self.text, self.tokens, self.at = text, tokens, 0

    def error(self) -> ConstantError:
        return ConstantError(f"'{self.text}' is no integer constant")

    def next_operator(self) -> str:
        """The operator that is next; empty if there is none."""
        return (self.tokens[self.at]["operator"] or "") if self.at < len(self.tokens) else ""

    def take(self, symbol: str) -> bool:
        """Step over an operator, if it is next."""
        is_next = self.next_operator() == symbol
        self.at += is_next
        return is_next

    def choice(self) -> Constant:
        """`condition ? x : y`, or what binds more."""
        condition = self.binary(0)
        if not self.take("?"):
            return condition
        first = self.choice()
        if not self.take(":"):
            raise self.error()
        second = self.choice()
        chosen = first if condition.value else second
        return constant_of(chosen.value, first.is_unsigned or second.is_unsigned)

    def binary(self, precedence: int) -> Constant:
        """Operands between operators of at least this precedence."""
        left = self.unary()
        while (symbol := _OPERATORS.get(self.next_operator())) is not None and symbol.precedence >= precedence:
            self.at += 1
            left = self._applied(symbol, left, self.binary(symbol.precedence + 1))
        return left

    def _applied(self, symbol: _Operator, left: Constant, right: Constant) -> Constant:
        if symbol.is_shift:
            amount = constant_of(right.value, True).value
            return constant_of(symbol.apply(left.value, amount), left.is_unsigned)
        is_unsigned = symbol.is_unsigned or left.is_unsigned or right.is_unsigned
        x, y = (constant_of(each.value, is_unsigned).value for each in (left, right))
        try:
            result = int(symbol.apply(x, y))
        except ZeroDivisionError:
            raise ConstantError(f"'{self.text}' divides by zero") from None
        return constant_of(result, is_unsigned and not symbol.is_test)

    def unary(self) -> Constant:
        """A literal, an expression in parentheses, or one behind a sign, `!`, `~` or a cast."""
        if self.at == len(self.tokens):
            raise self.error()
        token = self.tokens[self.at]
        self.at += 1
        if token["literal"]:
            return _literal(token["literal"])
        if token["name"]:
            return Constant(32)
        if token["cast"]:
            return constant_of(self.unary().value, "u" in token["cast"])
        match token["operator"]:
            case "(":
                inside = self.choice()
                if not self.take(")"):
                    raise self.error()
                return inside
            case "+":
                return self.unary()
            case "-":
                operand = self.unary()
                return constant_of(-operand.value, operand.is_unsigned)
            case "~":
                return constant_of(~self.unary().value, True)
            case "!":
                return Constant(int(not self.unary().value))
            case _:
                raise self.error()


def _literal(text: str) -> Constant:
    digits = text.rstrip("U")
    is_octal = re.fullmatch(r"0[0-7]+", digits)
    if digits[0] == "0" and digits.isdecimal() and len(digits) > 1 and not is_octal:
        raise ConstantError(f"'{text}' is no integer constant")
    value = int(digits, 8 if is_octal else 0)
    return constant_of(value, text.endswith("U") or value >= 1 << 63)
