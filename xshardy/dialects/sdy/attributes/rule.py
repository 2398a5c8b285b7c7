"""
Sharding rules: the loops of an operation (its factors), and which dimensions they walk.

Source: rows SDY-ATTR-06, SDY-ATTR-13 and SDY-ATTR-17.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, IntAttr
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from xshardy.dialects.sdy.attributes.text import (
    BareBodyAttribute,
    BodyAttribute,
    array,
    expect,
    expect_keyword,
    parse_int64,
    parse_list,
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
    text = parser.parse_identifier(" for a factor, as in `i`")
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


@irdl_attr_definition
class DimMappingAttr(BareBodyAttribute, SpacedOpaqueSyntaxAttribute):
    """`ij`: the factors that a dimension is made of, major to minor; `*` is the null mapping, which is made of none."""

    name = "sdy.dim_mapping"
    factor_indices: ArrayAttr[IntAttr] = param_def(converter=_ints)

    @property
    def factors(self) -> tuple[int, ...]:
        return _indices(self.factor_indices)

    @classmethod
    def parse_body(cls, parser: AttrParser) -> DimMappingAttr:
        if parser.parse_optional_punctuation("*") is not None:
            return cls(())
        # Nothing at all is read as upstream does: as a mapping without factors, which the verifier rejects.
        symbols = parser.parse_optional_identifier() or ""
        return cls(_factor(parser, symbol) for symbol in _SYMBOL.finditer(symbols))

    def print_body(self, printer: Printer) -> None:
        printer.print_string("".join(map(factor_symbol, self.factors)) or "*")


@irdl_attr_definition
class TensorMappingAttr(BareBodyAttribute):
    """`[i, jk]`: the factors of each dimension of a tensor."""

    name = "sdy.tensor_mapping"
    dim_mappings: ArrayAttr[DimMappingAttr] = param_def(converter=array)

    @property
    def rank(self) -> int:
        return len(self.dim_mappings)

    @classmethod
    def parse_body(cls, parser: AttrParser) -> TensorMappingAttr:
        return cls(parse_list(parser, lambda: DimMappingAttr.parse_body(parser), "[", "]"))

    def print_body(self, printer: Printer) -> None:
        with printer.in_square_brackets():
            printer.print_list(self.dim_mappings, lambda mapping: mapping.print_body(printer))


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

    @property
    def groups(self) -> Mapping[str, tuple[int, ...]]:
        """The factors of each group, in the order of the text."""
        return {
            "reduction": _indices(self.reduction_factors),
            "need_replication": _indices(self.need_replication_factors),
            "permutation": _indices(self.permutation_factors),
            "blocked_propagation": _indices(self.blocked_propagation_factors),
        }

    @classmethod
    def parse_body(cls, parser: AttrParser) -> OpShardingRuleAttr:
        expect(parser, "<")
        operands = _parse_mappings(parser)
        expect(parser, "->")
        results = _parse_mappings(parser)
        sizes = _parse_sizes(parser)
        reduction = _parse_group(parser, "reduction")
        need_replication = _parse_group(parser, "need_replication")
        permutation = _parse_group(parser, "permutation")
        blocked = _parse_group(parser, "blocked_propagation")
        is_custom = parser.parse_optional_punctuation(",") is not None
        if is_custom:
            expect_keyword(parser, "custom")
        expect(parser, ">")
        custom = BoolAttr.from_bool(is_custom)
        return cls(sizes, operands, results, reduction, need_replication, permutation, blocked, custom)

    def print_body(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            _print_mappings(printer, self.operand_mappings)
            printer.print_string("->")
            _print_mappings(printer, self.result_mappings)
            if self.factor_sizes.data:
                sizes = (f"{factor_symbol(index)}={size.data}" for index, size in enumerate(self.factor_sizes))
                printer.print_string(f" {{{', '.join(sizes)}}}")
            for group, factors in self.groups.items():
                if factors:
                    printer.print_string(f" {group}={{{', '.join(map(factor_symbol, factors))}}}")
            if self.is_custom_rule:
                printer.print_string(", custom")


def _parse_mappings(parser: AttrParser) -> list[TensorMappingAttr]:
    """`([i, k],[k, j])`: at least one."""
    expect(parser, "(")
    mappings = [TensorMappingAttr.parse_body(parser)]
    while parser.parse_optional_punctuation(",") is not None:
        mappings.append(TensorMappingAttr.parse_body(parser))
    expect(parser, ")")
    return mappings


def _print_mappings(printer: Printer, mappings: ArrayAttr[TensorMappingAttr]) -> None:
    with printer.in_parens():
        printer.print_list(mappings, lambda mapping: mapping.print_body(printer))


def _parse_sizes(parser: AttrParser) -> list[int]:
    """`{i=8, j=16}`, in the order of the factors; nothing for a rule without factors."""
    sizes: list[int] = []

    def parse_size() -> None:
        expected = len(sizes)
        factor = _parse_single_factor(parser)
        if factor != expected:
            parser.raise_error(
                "expecting factor indices to be ordered like an iota ([0,1,2,...], e.g. {i=#, j=#, ...}). Expecting "
                f"factor index symbol '{factor_symbol(expected)}', received: '{factor_symbol(factor)}'"
            )
        expect(parser, "=")
        sizes.append(parse_int64(parser))

    parser.parse_optional_comma_separated_list(parser.Delimiter.BRACES, parse_size)
    return sizes


def _parse_group(parser: AttrParser, group: str) -> list[int]:
    """`reduction={k}`, or nothing."""
    if parser.parse_optional_keyword(group) is None:
        return []
    expect(parser, "=")
    return parse_list(parser, lambda: _parse_single_factor(parser), "{", "}")
