"""
Sharding rules: the loops of an operation (its factors), and which dimensions they walk.

Source: rows SDY-ATTR-06, SDY-ATTR-13 and SDY-ATTR-17.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, IntAttr
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from xshardy.dialects.attribute_text import (
    NONE_LISTED,
    BareBodyAttribute,
    Body,
    BodyAttribute,
    Text,
    array,
    body,
    expect,
    field,
    flag,
    listed,
    optional,
    parse_int64,
)

LETTERS = "ijklmnopqrstuvwxyz"
LARGEST_INDEX = 2**63 - 1
_SYMBOL = re.compile(r"z_(\d*)|.")
"""The first of the factor symbols of a text, which are written together: `ijz_1`."""


def factor_symbol(index: int) -> str:
    """The name of a factor in a rule: `i` ... `z`, then `z_1`, `z_2`, ..."""
    return LETTERS[index] if index < len(LETTERS) else f"z_{index - len(LETTERS) + 1}"


def _factor(parser: AttrParser, symbol: re.Match[str]) -> int:
    """The index of the factor that `symbol`, a match of `_SYMBOL`, names."""
    digits = symbol[1]
    if digits is None:
        if symbol[0] not in LETTERS:
            parser.raise_error(f"expecting symbol from 'i' to 'z'. Received: '{symbol[0]}'")
        return LETTERS.index(symbol[0])
    if not digits:
        parser.raise_error(f"expecting integer after 'z_'. Received: '{symbol.string[symbol.start() :]}'")
    if digits[0] == "0":
        parser.raise_error(f"expecting positive integer without leading zeros. Received: '{digits}'")
    if len(digits) > len(str(LARGEST_INDEX)) or int(digits) > LARGEST_INDEX:
        parser.raise_error(f"expecting symbol index <=2^63-1. Received: '{digits}'")
    return len(LETTERS) - 1 + int(digits)


def _parse_single_factor(parser: AttrParser) -> int:
    text = parser.parse_identifier(context_msg=" for a factor, as in `i`")
    symbol = _SYMBOL.match(text)
    assert symbol is not None, "an identifier has a first character"
    factor = _factor(parser, symbol)
    if rest := text[symbol.end() :]:
        parser.raise_error(f"expecting single factor symbol: {rest}")
    return factor


def _ints(values: Iterable[int | IntAttr]) -> ArrayAttr[IntAttr]:
    return ArrayAttr(value if isinstance(value, IntAttr) else IntAttr(value) for value in values)


def _indices(factors: ArrayAttr[IntAttr]) -> tuple[int, ...]:
    return tuple(index.data for index in factors)


class FactorSymbol(Text[IntAttr]):
    """`i`: one factor."""

    def read(self, parser: AttrParser) -> IntAttr:
        return IntAttr(_parse_single_factor(parser))

    def print(self, printer: Printer, value: IntAttr) -> None:
        printer.print_string(factor_symbol(value.data))


class FactorSymbols(Text[ArrayAttr[IntAttr]]):
    """`ijz_1`: factors without separators; `*` for none."""

    def read(self, parser: AttrParser) -> ArrayAttr[IntAttr]:
        if parser.parse_optional_punctuation("*") is not None:
            return NONE_LISTED
        # No symbol at all reads as upstream reads it: as a mapping without factors, which the verifier rejects.
        symbols = parser.parse_optional_identifier() or ""
        return _ints(_factor(parser, symbol) for symbol in _SYMBOL.finditer(symbols))

    def print(self, printer: Printer, value: ArrayAttr[IntAttr]) -> None:
        printer.print_string("".join(map(factor_symbol, _indices(value))) or "*")


class FactorSizes(Text[ArrayAttr[IntAttr]]):
    """` {i=8, j=16}`: the sizes of all factors in their order; nothing for a rule without factors."""

    def read(self, parser: AttrParser) -> ArrayAttr[IntAttr]:
        sizes: list[int] = []

        def parse_size() -> None:
            expected = len(sizes)
            factor = _parse_single_factor(parser)
            if factor != expected:
                parser.raise_error(
                    "expecting factor indices to be ordered like an iota ([0,1,2,...], e.g. {i=#, j=#, ...}). "
                    f"Expecting factor index symbol '{factor_symbol(expected)}', received: '{factor_symbol(factor)}'"
                )
            expect(parser, "=")
            sizes.append(parse_int64(parser))

        parser.parse_optional_comma_separated_list(parser.Delimiter.BRACES, parse_size)
        return _ints(sizes)

    def print(self, printer: Printer, value: ArrayAttr[IntAttr]) -> None:
        if value.data:
            sizes = (f"{factor_symbol(index)}={size.data}" for index, size in enumerate(value))
            printer.print_string(f" {{{', '.join(sizes)}}}")


FACTORS = listed(FactorSymbol(), "{}")
"""`{i, k}`"""


@irdl_attr_definition
class DimMappingAttr(BareBodyAttribute, SpacedOpaqueSyntaxAttribute):
    """`ij`: the factors that a dimension is made of, major to minor; `*` is the null mapping, which is made of none."""

    name = "sdy.dim_mapping"
    factor_indices: ArrayAttr[IntAttr] = param_def(converter=_ints)
    BODY: ClassVar[Body] = body(field("factor_indices", FactorSymbols()))

    @property
    def factors(self) -> tuple[int, ...]:
        return _indices(self.factor_indices)


@irdl_attr_definition
class TensorMappingAttr(BareBodyAttribute):
    """`[i, jk]`: the factors of each dimension of a tensor."""

    name = "sdy.tensor_mapping"
    dim_mappings: ArrayAttr[DimMappingAttr] = param_def(converter=array)
    BODY: ClassVar[Body] = body(field("dim_mappings", listed(DimMappingAttr)))

    @property
    def rank(self) -> int:
        return len(self.dim_mappings)


MAPPINGS = listed(TensorMappingAttr, "()", at_least_one=True)
"""`([i, k],[k, j])`"""


@irdl_attr_definition
class OpShardingRuleAttr(BodyAttribute):
    """
    `<([i, k],[k, j])->([i, j]) {i=8, j=16, k=8} reduction={k}, custom>`: the factors, and their sizes in elements.

    A reduction factor needs a reduction where it is sharded, a need-replication factor must not be sharded, a
    permutation factor needs a collective permute; the others pass through. Along blocked factors nothing is propagated.
    A custom rule is the user's own, and is kept.
    """

    name = "sdy.op_sharding_rule"
    factor_sizes: ArrayAttr[IntAttr] = param_def(converter=_ints)
    operand_mappings: ArrayAttr[TensorMappingAttr] = param_def(converter=array)
    result_mappings: ArrayAttr[TensorMappingAttr] = param_def(converter=array)
    reduction_factors: ArrayAttr[IntAttr] = param_def(converter=_ints)
    need_replication_factors: ArrayAttr[IntAttr] = param_def(converter=_ints)
    permutation_factors: ArrayAttr[IntAttr] = param_def(converter=_ints)
    blocked_propagation_factors: ArrayAttr[IntAttr] = param_def(converter=_ints)
    is_custom_rule: BoolAttr = param_def()
    BODY: ClassVar[Body] = body(
        "<",
        field("operand_mappings", MAPPINGS),
        "->",
        field("result_mappings", MAPPINGS),
        field("factor_sizes", FactorSizes()),
        optional(" reduction=", "reduction_factors", FACTORS, NONE_LISTED),
        optional(" need_replication=", "need_replication_factors", FACTORS, NONE_LISTED),
        optional(" permutation=", "permutation_factors", FACTORS, NONE_LISTED),
        optional(" blocked_propagation=", "blocked_propagation_factors", FACTORS, NONE_LISTED),
        flag(", custom", "is_custom_rule"),
        ">",
    )

    @property
    def groups(self) -> Mapping[str, tuple[int, ...]]:
        """The factors of each group, in the order of the text."""
        return {
            "reduction": _indices(self.reduction_factors),
            "need_replication": _indices(self.need_replication_factors),
            "permutation": _indices(self.permutation_factors),
            "blocked_propagation": _indices(self.blocked_propagation_factors),
        }
