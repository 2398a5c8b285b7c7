"""Constant expressions. The values are those that ptxas 13.0 writes into a variable of 64 bits."""

import pytest

from xshardy.ptx.constants import ConstantError, read_constant


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-1 / 2", 0),
        ("-7 / 2", -3),
        ("-7 / 2U", 0x7FFFFFFFFFFFFFFC),
        ("-7 % 3", 0),  # the remainder is of unsigned numbers
        ("-1U / 2", 0x7FFFFFFFFFFFFFFF),
        ("0xffffffffffffffff / 2", 0x7FFFFFFFFFFFFFFF),
        ("-1 >> 1", -1),
        ("~0 >> 4", 0x0FFFFFFFFFFFFFFF),
        ("(.u64)-1 >> 60", 15),
        ("3 - 4 > 0U", 1),
        ("3 - 4 > 0", 0),
        ("1 ? 2 : 3", 2),
        ("0 ? 2 : 0 ? 3 : 4", 4),
        ("5 ^ 3 | 8 & 12", 14),
        ("1 < 2 == 1 && 3 || 0", 1),
        ("2 + 3 * 4 - (1 << 3)", 6),
        ("!0 + !7", 1),
        ("010 + 0x10U + 0b11", 27),
        ("WARP_SZ * 2", 64),
        ("+-+3", -3),
    ],
)
def test_operators_are_those_of_c(text: str, value: int):
    assert (read_constant(text) - value) % 2**64 == 0


@pytest.mark.parametrize("text", ["", "1 +", "(1", "a", "1 2", "08", "1 ? 2", "1.5", "1 / 0", "1 : 2", "*"])
def test_other_texts_are_none(text: str):
    with pytest.raises(ConstantError, match=r"no integer constant|divides by zero"):
        read_constant(text)
