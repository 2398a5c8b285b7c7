"""Sorts of any size: as numpy's, stable, in far fewer rounds than elements."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from xshardy.interpreters.stablehlo.sorting import in_order, rounds_of_exchanges


@given(st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), max_size=40))
def test_columns_are_sorted_and_equal_elements_stay_in_order(rows: list[list[int]]):
    keys = np.array(rows, np.int32).reshape(-1, 3)
    places = np.broadcast_to(np.arange(len(rows))[:, None], keys.shape)
    order = np.argsort(keys, axis=0, kind="stable")
    values, moved = in_order([keys, places], 0, lambda pairs: np.asarray(pairs[0] < pairs[1]))
    np.testing.assert_array_equal(values, np.take_along_axis(keys, order, 0))
    np.testing.assert_array_equal(moved, order)


def test_rounds_grow_with_the_square_of_the_logarithm():
    assert [len([*rounds_of_exchanges(size)]) for size in (0, 1, 2, 8, 1024)] == [0, 0, 1, 6, 55]
