"""Arrays of devices against numpy: an iota is an array that is transposed, tiles are one that is reshaped."""

from itertools import accumulate
from math import prod
from operator import mul

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from xshardy.hlo_text.shardings.tiles import Iota, Tiles, common_factors

FACTORS = st.lists(st.sampled_from([1, 2, 3, 4]), min_size=1, max_size=5)


@st.composite
def iotas(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A shape and a permutation of its dimensions."""
    shape = draw(FACTORS)
    return tuple(shape), tuple(draw(st.permutations(range(len(shape)))))


@given(iotas())
def test_iota_reads_a_transposed_array(iota: tuple[tuple[int, ...], tuple[int, ...]]):
    shape, permutation = iota
    expected = np.arange(prod(shape)).reshape(shape).transpose(permutation).ravel()
    assert list(Iota.of(shape, permutation).numbers()) == expected.tolist()


@given(iotas())
def test_iota_of_numbers_finds_the_shortest_one(iota: tuple[tuple[int, ...], tuple[int, ...]]):
    shortest = Iota.of(*iota)
    assert Iota.of_numbers(shortest.numbers()) == shortest


@given(st.lists(st.integers(1, 8), min_size=1, max_size=8).flatmap(lambda n: st.permutations(range(len(n)))))
def test_iota_of_numbers_describes_its_numbers(numbers: list[int]):
    found = Iota.of_numbers(numbers)
    assert found is None or list(found.numbers()) == numbers


def test_no_iota_of_numbers_that_no_transposition_gives():
    assert Iota.of_numbers([0, 2, 1]) is None
    assert Iota.of_numbers([0, 1, 3, 2]) is None
    assert Iota.of_numbers([1, 0]) is None


def products(factors: tuple[int, ...]) -> set[int]:
    return set(accumulate(factors, mul))


@given(st.permutations([2, 2, 3]).flatmap(lambda a: st.tuples(st.just(a), st.permutations([2, 3, 2]))))
def test_common_factors_have_the_products_of_both(pair: tuple[list[int], list[int]]):
    found = common_factors(*pair)
    needed = products(tuple(pair[0])) | products(tuple(pair[1]))
    if found is None:
        assert any(max(a, b) % min(a, b) for a in needed for b in needed)
    else:
        assert products(found) == needed


def test_common_factors_leave_out_ones():
    assert common_factors((6, 1, 4), (2, 6, 2)) == (2, 3, 2, 2)
    assert common_factors((1, 1), (1,)) == ()


@given(iotas(), st.data())
def test_tiles_transposed_and_sorted_as_arrays(iota: tuple[tuple[int, ...], tuple[int, ...]], data: st.DataObject):
    order = Iota.of(*iota)
    shape = data.draw(st.permutations(iota[0]))
    permutation = data.draw(st.permutations(range(len(shape))))
    array = np.array(order.numbers()).reshape(shape)
    for tiles in (Tiles(tuple(shape), order), Tiles(tuple(shape), order.numbers())):
        transposed = tiles.transposed(permutation)
        assert transposed.shape == array.transpose(permutation).shape
        assert list(transposed.devices()) == array.transpose(permutation).ravel().tolist()
        group = shape[-1]
        assert list(tiles.sorted_within(group).devices()) == np.sort(array.reshape(-1, group), axis=1).ravel().tolist()
