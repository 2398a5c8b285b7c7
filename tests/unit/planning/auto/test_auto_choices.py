"""The times of sums over divided dimensions, against the bytes that their collectives send."""

from itertools import product
from math import prod

import pytest
from xdsl.dialects.builtin import TensorType, f32

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.planning.auto.choices import ChoiceTable
from xshardy.planning.auto.move_times import MoveTimes
from xshardy.planning.auto.placements import Placement, SearchAxes
from xshardy.planning.topology import Link, LinkKind, Topology
from xshardy.sharding.factor_rule import FactorRule

SIZES = (2, 4, 8)
AXES = SearchAxes.of("mesh", MeshAttr.of([*zip("xyz", SIZES, strict=True)]), ())
SWITCH = Topology("switch", {"*": Link(LinkKind.SWITCH, 1e9, 1e-6)})
SHAPE = (64, 128)
PRODUCT = FactorRule((*SHAPE, 256), (((0,), (2,)), ((2,), (1,))), (((0,), (1,)),), reduction=(2,))
"""Of a matrix product; factor 2 is summed over."""


def sums(*, may_scatter: bool) -> dict[tuple[Placement, Placement, Placement], float]:
    """By the placements of both operands and the result, the time without work."""
    table = ChoiceTable(AXES, SWITCH, MoveTimes(AXES, SWITCH))
    choices = table.of(PRODUCT, (TensorType(f32, SHAPE),), may_scatter=may_scatter)
    placements = zip(*(each.index for each in (*choices.operands, *choices.results)), strict=True)
    found: dict[tuple[Placement, Placement, Placement], float] = {}
    for (lhs, rhs, result), seconds in zip(placements, choices.seconds, strict=True):
        of_tensors = (choices.operands[0].distinct[lhs], choices.operands[1].distinct[rhs])
        found[*of_tensors, choices.results[0].distinct[result]] = seconds
    assert len(found) == len(choices.seconds)
    return found


def seconds(lhs: Placement, rhs: Placement, result: Placement) -> float:
    """Each of the summed axes that the result has is scattered along, in one step; then the others are reduced."""
    left = 4 * prod(SHAPE) / prod(SIZES[axis] for axis in (*lhs[0], *rhs[1]))
    scattered = prod(SIZES[axis] for axis in lhs[1] if axis in (*result[0], *result[1]))
    reduced = prod(SIZES[axis] for axis in lhs[1]) // scattered
    of_scatter = (scattered - 1) * 1e-6 + (scattered - 1) / scattered * left / 1e9
    return of_scatter + 2 * (reduced - 1) * 1e-6 + 2 * (reduced - 1) / reduced * left / scattered / 1e9


def test_a_sum_is_scattered_along_some_axes_and_reduced_along_the_others():
    for placements, found in sums(may_scatter=True).items():
        assert found == pytest.approx(seconds(*placements), abs=1e-15), placements


def test_each_way_to_divide_a_sum_is_there_in_the_order_of_axes():
    scattering = sums(may_scatter=True)
    for (lhs, rhs, result), places in product(sums(may_scatter=False), product((0, 1, None), repeat=len(SIZES))):
        added = [tuple(axis for axis in lhs[1] if places[axis] == dim) for dim in (0, 1)]
        if any(added) and not all(added):
            divided = tuple((*before, *after) for before, after in zip(result, added, strict=True))
            is_sorted = all(axes == tuple(sorted(axes)) for axes in divided)
            assert ((lhs, rhs, divided) in scattering) == is_sorted
