"""Texts of builtin attributes that xDSL and upstream print differently."""

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr
from xdsl.ir import Attribute

from xshardy.affine.expression_text import print_expr


def affine_map_text(attribute: AffineMapAttr) -> str:
    """`affine_map<(d0)[s0] -> (d0 * 2 + s0)>`, without redundant parentheses."""
    map = attribute.data
    results = ", ".join(print_expr(result) for result in map.results)
    return f"affine_map<{_variables(map.num_dims, map.num_symbols)} -> ({results})>"


def affine_set_text(attribute: AffineSetAttr) -> str:
    """`affine_set<(d0) : (d0 - 1 >= 0)>`"""
    set = attribute.data
    constraints = ", ".join(
        f"{print_expr(constraint.lhs)} {constraint.kind.value} {print_expr(constraint.rhs)}"
        for constraint in set.constraints
    )
    return f"affine_set<{_variables(set.num_dims, set.num_symbols)} : ({constraints})>"


def _variables(dims: int, symbols: int) -> str:
    symbol_list = f"[{', '.join(f's{i}' for i in range(symbols))}]" if symbols else ""
    return f"({', '.join(f'd{i}' for i in range(dims))}){symbol_list}"


TEXTS: Mapping[type[Attribute], Callable[[Any], str]] = {
    AffineMapAttr: affine_map_text,
    AffineSetAttr: affine_set_text,
}
