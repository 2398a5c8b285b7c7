"""The groups of dimensions that reshapes keep apart."""

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xshardy.transforms.sdy_partition.exchange.reshape_groups import reshape_groups

extents = st.lists(st.integers(1, 4), max_size=3)


GROUPS: list[tuple[list[int], list[int], list[tuple[list[int], list[int]]]]] = [
    ([6], [6], [([6], [6])]),
    ([4, 6], [2, 2, 6], [([4], [2, 2]), ([6], [6])]),
    ([4], [4, 1], [([4], [4]), ([], [1])]),
    ([4, 1], [4], [([4], [4]), ([1], [])]),
    ([], [], []),
]
"""Operand, result, and the sizes of both in each group."""


@pytest.mark.parametrize(("operand", "result", "groups"), GROUPS)
def test_groups(operand: list[int], result: list[int], groups: list[tuple[list[int], list[int]]]):
    found = [
        ([operand[i] for i in group.operand], [result[j] for j in group.result])
        for group in reshape_groups(operand, result)
    ]
    assert found == groups


@given(st.lists(st.tuples(extents, st.permutations(range(3))), max_size=4))
def test_every_dimension_is_in_one_group_and_both_sides_have_the_same_size(
    pieces: list[tuple[list[int], list[int]]],
):
    operand = [extent for sizes, _ in pieces for extent in sizes]
    result = [sizes[i] for sizes, order in pieces for i in order if i < len(sizes)]
    groups = [*reshape_groups(operand, result)]
    assert [i for group in groups for i in group.operand] == [*range(len(operand))]
    assert [j for group in groups for j in group.result] == [*range(len(result))]
    for group in groups:
        assert prod(operand[i] for i in group.operand) == prod(result[j] for j in group.result)
