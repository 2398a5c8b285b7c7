"""Op priorities: which factors may propagate in which round; user priorities: what takes part, and when."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from xshardy.axes.spans import Span
from xshardy.sharding.factor_rule import FactorRule
from xshardy.sharding.interning import DimSharding, Sharding
from xshardy.sharding.priorities import ROUNDS, OpKind, directions
from xshardy.sharding.strategies import Direction
from xshardy.sharding.user_priorities import admit, without_deferred

RULE = FactorRule((8, 4), (((0,), (1,)),), (((0,),),), reduction=(1,))
"""`([i, j])->([i]) {i=8, j=4} reduction={j}`"""
NONE, FORWARD, BACKWARD, BOTH = Direction.NONE, Direction.FORWARD, Direction.BACKWARD, Direction.BOTH


def rounds(kind: OpKind, *, is_single_use: bool) -> list[tuple[Direction, ...]]:
    return [directions(kind, RULE, round_, is_single_use=is_single_use) for round_ in range(ROUNDS)]


def test_the_schedule():
    assert rounds(OpKind.PASS_THROUGH, is_single_use=True) == [(BOTH, BOTH)] * 5
    assert rounds(OpKind.PASS_THROUGH, is_single_use=False) == [(NONE, NONE), *[(BOTH, BOTH)] * 4]
    assert rounds(OpKind.DYNAMIC_SLICE, is_single_use=True) == [
        *[(FORWARD, FORWARD)] * 2,
        (BOTH, FORWARD),
        *[(BOTH, BOTH)] * 2,
    ]
    assert rounds(OpKind.OTHER, is_single_use=True) == [*[(NONE, NONE)] * 2, (BOTH, NONE), *[(BOTH, BOTH)] * 2]
    assert rounds(OpKind.BROADCAST, is_single_use=True) == [
        *[(NONE, NONE)] * 2,
        (BACKWARD, NONE),
        (BACKWARD, BACKWARD),
        (BOTH, BOTH),
    ]


@given(st.sampled_from(list(OpKind)), st.booleans())
def test_a_round_allows_what_the_one_before_allowed(kind: OpKind, is_single_use: bool):
    allowed = rounds(kind, is_single_use=is_single_use)
    for earlier, later in pairwise(allowed):
        assert all(a & b == a for a, b in zip(earlier, later, strict=True))


DIMS = st.lists(st.sampled_from([None, 0, 1, 2]), min_size=1, max_size=4)


@given(DIMS)
def test_each_dimension_is_admitted_once(priorities: list[int | None]):
    dims = tuple(DimSharding((Span(i, 1, 2),), i % 2 == 0, priority) for i, priority in enumerate(priorities))
    original = Sharding(0, dims, replicated=(Span(9, 1, 2),))
    current = without_deferred(original)
    assert current.replicated == tuple(sorted(current.replicated)), "as the mesh lists them"
    for dim, now in zip(dims, current.dims, strict=True):
        assert now == (DimSharding((), True) if dim.priority else dim._replace(priority=None))
    for priority in (1, 2):
        current = admit(current, original, priority)
        for dim, now in zip(dims, current.dims, strict=True):
            assert now == (dim._replace(priority=None) if (dim.priority or 0) <= priority else DimSharding((), True))
    assert current.replicated == original.replicated
