"""Rows of the tables of facts agree with each other, and with the traits of operations."""

import pytest
from xdsl.ir import Operation

from xshardy.dialects.elementwise import Elementwise
from xshardy.facts.cost import COSTS, Amount
from xshardy.facts.movement import MOVEMENTS, VIEWS, Movement


@pytest.mark.parametrize("kind", MOVEMENTS, ids=lambda kind: kind.name)
def test_what_moves_elements_computes_none(kind: type[Operation]):
    assert not kind.has_trait(Elementwise)


def test_views_are_rearrangements():
    assert all(MOVEMENTS[kind] is Movement.REARRANGED for kind in VIEWS)


@pytest.mark.parametrize("kind", COSTS, ids=lambda kind: kind.name)
def test_only_movements_are_free(kind: type[Operation]):
    """What costs no instructions, or no work, moves elements; each row says more than the default."""
    if Amount.NONE in COSTS[kind]:
        assert kind in MOVEMENTS
