"""Common factors of shapes, and maps to places in memory."""

from itertools import pairwise, product
from math import prod

import numpy as np
from hypothesis import given
from hypothesis.strategies import data, integers, lists, permutations

from xshardy.affine.expressions import dim
from xshardy.affine.indexing_map import IndexingMap, Variable
from xshardy.affine.interval import Interval
from xshardy.emitters.memory_maps import common_factors, map_through_memory, map_to_root
from xshardy.syntax import parse_module
from xshardy.transforms.sdy.main_function import main_function


def test_common_factors():
    assert common_factors([2, 3, 4], [6, 4]) == [(range(2), range(1)), (range(2, 3), range(1, 2))]
    assert common_factors([16, 160, 170], [16, 160, 170]) == [(range(i, i + 1), range(i, i + 1)) for i in range(3)]
    assert common_factors([], []) == []


def test_dimensions_of_one_element_are_factors_of_their_own():
    assert common_factors([2, 3], [6, 1]) == [(range(2), range(1)), (range(2, 2), range(1, 2))]
    assert common_factors([6, 1], [2, 3]) == [(range(1), range(2)), (range(1, 2), range(2, 2))]


@given(lists(integers(2, 4), max_size=4), data())
def test_common_factors_cover_both_shapes(left: list[int], draw):
    cuts = draw.draw(lists(integers(0, len(left)), max_size=3))
    edges = sorted({0, *cuts, len(left)})
    right = [prod(left[a:b]) for a, b in pairwise(edges)]
    parts = common_factors(left, right)
    assert [i for part, _ in parts for i in part] == list(range(len(left)))
    assert [j for _, part in parts for j in part] == list(range(len(right)))
    assert all(prod(left[i] for i in a) == prod(right[j] for j in b) for a, b in parts)


@given(lists(integers(1, 4), min_size=1, max_size=4), data())
def test_places_are_those_of_numpy(shape: list[int], draw):
    order = draw.draw(permutations(range(len(shape))))
    tiled = draw.draw(permutations(shape))
    map = map_through_memory(shape, order, tiled, IndexingMap.identity(tiled))
    memory = np.arange(prod(shape)).reshape([shape[d] for d in reversed(order)])
    logical = memory.transpose(np.argsort(list(reversed(order))))
    rows = np.arange(prod(shape)).reshape(tiled)
    for index in product(*map_ranges(tiled)):
        assert logical[map.evaluate(index)] == rows[index]


def map_ranges(shape: list[int]) -> list[range]:
    return [range(size) for size in shape]


def test_indices_of_a_root_behind_two_reshapes():
    """The places of a hero of 6 elements in a result of shape [3, 2], by way of [2, 3]."""
    module = parse_module("""func.func @main(%x: tensor<6xf32>) -> tensor<3x2xf32> {
      %hero = stablehlo.cosine %x : tensor<6xf32>
      %0 = stablehlo.reshape %hero : (tensor<6xf32>) -> tensor<2x3xf32>
      %1 = stablehlo.negate %0 : tensor<2x3xf32>
      %2 = stablehlo.reshape %1 : (tensor<2x3xf32>) -> tensor<3x2xf32>
      %root = stablehlo.abs %2 : tensor<3x2xf32>
      return %root : tensor<3x2xf32>
    }""")
    hero, *_, root, _ = main_function(module).body.block.ops
    elements = IndexingMap((dim(0),), (Variable("", Interval.of_size(6)),))
    found = map_to_root(root.results[0], hero.results[0], elements)
    assert [found.evaluate((i,), ()) for i in range(6)] == [(i // 2, i % 2) for i in range(6)]
