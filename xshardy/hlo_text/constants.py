"""The literals of constant instructions: `constant({1, 2})`, and of tuples `constant((1, ({2, 3}, 4)))`."""

from typing import cast

from xdsl.dialects.builtin import AnyTensorType
from xdsl.ir import Attribute

from xshardy.dialects.stablehlo.types import TokenType
from xshardy.hlo_text.lexer import Tokens
from xshardy.hlo_text.literals import read_literal
from xshardy.hlo_text.shapes import ArrayShape, Shape, TupleShape, print_shape


def read_constant(tokens: Tokens, shape: Shape) -> Attribute | list[Attribute] | None:
    """The literal of a constant; for a tuple, a list of the literals of its leaves; None for `{...}`."""
    if tokens.text == "{" and tokens.texts[tokens.index + 1] == "...":
        tokens.take_raw()
        return None
    if isinstance(shape, TupleShape):
        literals: list[Attribute] = []
        _read_tuple(tokens, shape, literals)
        return literals
    return _read_array(tokens, shape)


def _read_array(tokens: Tokens, shape: ArrayShape) -> Attribute:
    if isinstance(shape.type, TokenType):
        raise tokens.error("constant: there are no constants of shape token[]", "write `after-all()`")
    return read_literal(tokens, cast(AnyTensorType, shape.type))


def _read_tuple(tokens: Tokens, shape: TupleShape, literals: list[Attribute]) -> None:
    """`(1, ({2, 3}, 4))`"""
    tokens.expect("(", f": the value of {print_shape(shape)[:80]} is a tuple")
    for i, element in enumerate(shape.elements):
        if i:
            tokens.expect(",")
        if isinstance(element, TupleShape):
            _read_tuple(tokens, element, literals)
        else:
            literals.append(_read_array(tokens, element))
    tokens.expect(")")
