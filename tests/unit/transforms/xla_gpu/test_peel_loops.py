"""Peeled maps divide the domain of the map that they come from."""

from collections import Counter
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from xshardy.affine.expressions import add, constant, dim, floordiv, mod, mul, sym
from xshardy.affine.indexing_map import Constraint, IndexingMap, Variable
from xshardy.affine.interval import Interval
from xshardy.transforms.xla_gpu.peel_loops import peeled

intervals = st.builds(lambda low, width: Interval(low, low + width), st.integers(-2, 3), st.integers(0, 4))
variables = st.sampled_from([dim(0), sym(0), sym(1)])
factors = st.integers(-3, 4).map(constant)
exprs = st.one_of(
    st.builds(lambda x, a, y: add(mul(x, a), y), variables, factors, variables),
    st.builds(lambda x, y: mod(add(x, y), constant(3)), variables, variables),
    st.builds(lambda x, y: floordiv(add(x, y), constant(2)), variables, variables),
)
maps = st.builds(
    lambda result, d, i, j, constraints: IndexingMap(
        (result,),
        (Variable("d", d),),
        (Variable("i", i), Variable("j", j)),
        constraints=tuple(constraints),
    ),
    exprs,
    intervals,
    intervals,
    intervals,
    st.lists(st.builds(Constraint, exprs, intervals), max_size=2),
)


def points(indexing_map: IndexingMap) -> Counter[tuple[int, int, int, int]]:
    """The points of the domain, with the result there."""
    box = product(range(-4, 9), repeat=3)
    return Counter((d, i, j, *indexing_map.evaluate([d], [i, j])) for d, i, j in box if indexing_map.holds([d], [i, j]))


@given(maps)
def test_pieces_have_each_point_once(indexing_map: IndexingMap):
    assert sum((points(piece) for piece in peeled(indexing_map)), Counter()) == points(indexing_map)


def test_two_variables_of_which_each_has_a_tail():
    """`d + i` and `d + j` can only be too large at the last `i` and `j`."""
    result = peeled(
        IndexingMap(
            (sym(0), sym(1)),
            (Variable("", Interval(0, 3)),),
            (Variable("", Interval(0, 7)), Variable("", Interval(0, 10))),
            constraints=(
                Constraint(add(dim(0), sym(0)), Interval(0, 9)),
                Constraint(add(dim(0), sym(1)), Interval(0, 12)),
            ),
        )
    )
    assert [str(piece) for piece in result] == [
        "(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 3], s0 in [0, 6], s1 in [0, 9]",
        "(d0)[s0, s1] -> (7, s1), domain: d0 in [0, 2], s0 in [7, 7], s1 in [0, 9]",
        "(d0)[s0, s1] -> (s0, 10), domain: d0 in [0, 2], s0 in [0, 7], s1 in [10, 10]",
    ]
