"""Classes of the places of a graph, by what reads what."""

import pytest

from xshardy.planning.auto.classes import classes

CHAIN = [(1, 0, "x"), (2, 1, "x"), (3, 2, "x"), (4, 3, "x"), (5, 4, "x")]


@pytest.mark.parametrize(
    ("rounds", "expected"), [(0, [0] * 6), (1, [0, 1, 1, 1, 1, 2]), (2, [0, 1, 2, 2, 3, 4]), (9, [0, 1, 2, 3, 4, 5])]
)
def test_surroundings_are_compared_as_many_reads_away_as_there_are_rounds(rounds: int, expected: list[int]):
    assert classes(["add"] * 6, CHAIN, rounds) == expected


def test_places_of_another_kind_are_not_alike():
    assert classes(["add", "add", "dot"], [], 2) == [0, 0, 1]


def test_how_a_place_is_read_and_how_often_tells_places_apart():
    reads = [(4, 0, "x"), (5, 1, "y"), (6, 2, "x"), (6, 2, "x"), (7, 3, "x")]
    assert classes(["add"] * 8, reads, 1) == [0, 1, 2, 0, 3, 4, 5, 3]


def test_a_reader_is_not_like_what_it_reads():
    assert classes(["add"] * 2, [(0, 1, "x")], 1) == [0, 1]
