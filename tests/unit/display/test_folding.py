"""Values of threads in few lines."""

import numpy as np

from xshardy.display.folding import fold, fold_mask
from xshardy.display.ranges import ranges


def test_ranges():
    assert ranges([]) == "" and ranges([5]) == "5" and ranges([0, 1, 2, 3, 8, 10, 11]) == "0-3, 8, 10-11"


def test_blocks_with_the_same_threads_are_together():
    mask = np.array([[1, 1, 0], [0, 0, 0], [1, 1, 0], [0, 0, 1]], np.bool_)
    assert fold_mask(mask, [4, 5, 6, 7]) == "blocks 4, 6: threads 0-1; block 7: thread 2"


def folded(*values: float, dtype: type = np.int32) -> list[str]:
    array = np.array([values], dtype)
    return [*fold(array, np.ones(array.shape, np.bool_), "thread")]


def test_equal_neighbours_and_steps_are_folded():
    assert folded(7, 7, 7) == ["threads 0-2: 7"]
    assert folded(7) == ["thread 0: 7"]
    assert folded(0, 4, 8, 12, 5, 5, 9) == ["threads 0-3: 0, 4, ..., 12", "threads 4-5: 5", "thread 6: 9"]
    assert folded(1, 5, 2, 2) == ["threads 0-1: 1, 5", "threads 2-3: 2"]
    assert folded(0.5, 1.5, 2.5, dtype=np.float32) == ["threads 0-2: 0.5, 1.5, 2.5"]
    assert folded(*[3, 1] * 5) == ["threads 0-7: 3, 1, 3, 1, 3, 1, 3, 1", "threads 8-9: 3, 1"]
    assert folded(np.nan, np.nan, dtype=np.float64) == ["threads 0-1: nan"]
    without_overflow = [f"thread 0: {2**64 - 1}", "threads 1-4: 0, 1, ..., 3"]
    assert folded(2**64 - 1, 0, 1, 2, 3, dtype=np.uint64) == without_overflow


def test_rows_are_folded_where_the_mask_holds():
    values = np.array([[1, 1, 9], [1, 1, 8], [1, 1, 8]])
    mask = np.array([[1, 1, 0], [1, 1, 0], [1, 1, 1]], np.bool_)
    lines = [*fold(values, mask, "element", [0, 1, 2], first=10)]
    assert lines == ["blocks 0-1: elements 10-11: 1", "block 2: elements 10-11: 1", "block 2: element 12: 8"]
