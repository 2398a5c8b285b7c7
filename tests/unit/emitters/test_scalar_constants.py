"""Numbers as constants of a type."""

import math

import pytest
from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    FileLineColLoc,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    bf16,
    f16,
    f32,
)
from xdsl.ir import Attribute, Block
from xdsl.rewriter import InsertPoint

from xshardy.emitters.elemental.scalars import Scalars, value_in_range


@pytest.mark.parametrize("width", [1, 2, 3, 8])
def test_integers_wrap(width: int):
    """Into the numbers with a sign; a boolean is 0 or 1."""
    least = 0 if width == 1 else -(1 << (width - 1))
    for value in range(-20, 300):
        found = value_in_range(value, width)
        assert least <= found < least + (1 << width)
        assert (found - value) % (1 << width) == 0


@pytest.mark.parametrize(
    ("value", "type", "expected"),
    [
        (65519.0, f16, 65504.0),  # the largest number of f16
        (65520.0, f16, math.inf),
        (-65519.0, f16, -65504.0),
        (-65520.0, f16, -math.inf),
        (math.inf, f16, math.inf),
        (-math.inf, f16, -math.inf),
        (65536.0, bf16, 65536.0),
        (65536.0, f32, 65536.0),
        (255, IntegerType(8), -1),
        (127, IntegerType(8), 127),
    ],
)
def test_constants(value: float, type: Attribute, expected: float):
    block = Block()
    made = Scalars(Builder(InsertPoint.at_end(block))).constant(value, type).owner
    assert isinstance(made, arith.ConstantOp)
    attribute = made.value
    assert isinstance(attribute, FloatAttr | IntegerAttr)
    assert (attribute.value.data, attribute.type) == (expected, type)


def test_only_what_is_inserted_within_the_context_gets_its_location():
    """An operation from before may have no location because it comes from nowhere in the program."""
    s = Scalars.at_end(Block())
    place = FileLineColLoc(StringAttr("model.py"), IntAttr(3), IntAttr(5))
    before = s.constant(1, f32)
    with s.located(place):
        inside = s.constant(2, f32)
    after = s.constant(3, f32)
    found = [value.owner.location for value in (before, inside, after) if isinstance(value.owner, arith.ConstantOp)]
    assert found == [UNKNOWN_LOC, place, UNKNOWN_LOC]
