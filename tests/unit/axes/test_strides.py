"""Strided numbers against numpy's iotas, transposed."""

from math import prod

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from xshardy.axes.strides import strided, strides_of


@given(st.permutations([(0, 2), (1, 3), (2, 1), (3, 4)]), st.integers(0, 4))
def test_a_transposed_iota(dims: list[tuple[int, int]], rank: int):
    order = [dim for dim, _ in dims if dim < rank]
    sizes = [size for _, size in sorted(dims)][:rank]
    iota = np.arange(prod(sizes)).reshape(sizes)
    strides = strides_of(sizes)
    assert strides == [stride // iota.itemsize for stride in iota.strides]
    assert strided((sizes[dim], strides[dim]) for dim in order) == iota.transpose(order).reshape(-1).tolist()


def test_no_elements():
    assert strided([(2, 1), (0, 1)]) == []
