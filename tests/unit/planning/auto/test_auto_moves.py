"""The times of moves, against the bytes that each collective of a resharding sends."""

from itertools import product
from math import prod

import pytest
from xdsl.dialects.builtin import TensorType, f32

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.planning.auto.move_times import MoveTimes
from xshardy.planning.auto.placements import Placement, SearchAxes
from xshardy.planning.topology import Link, LinkKind, Topology

AXES = SearchAxes.of("mesh", MeshAttr.of([("x", 2), ("y", 4)]), ())
SHAPE = (64, 64)
BYTES = 4 * prod(SHAPE)
SWITCH = Topology("switch", {"*": Link(LinkKind.SWITCH, 1e9, 1e-6)})
RINGS = Topology("rings", {"x": Link(LinkKind.RING, 2e9, 1e-6), "y": Link(LinkKind.RING, 1e9, 2e-6)})
PLACEMENTS = tuple(AXES.assignments(SHAPE, (0, 1), (False, False)))
X, Y = 0, 1


def time(before: Placement, after: Placement, topology: Topology = SWITCH, shape: tuple[int, ...] = SHAPE) -> float:
    return MoveTimes(AXES, topology).table(TensorType(f32, shape), (before,), (after,))[0, 0]


@pytest.mark.parametrize(
    "before, after, steps, bytes",
    [
        (((X,), ()), ((X,), ()), 0, 0.0),
        (((), ()), ((X,), (Y,)), 0, 0.0),  # each device keeps its part
        (((X,), ()), ((), ()), 1, BYTES / 2),
        (((Y,), ()), ((), ()), 3, 3 * BYTES / 4),
        (((X, Y), ()), ((), ()), 7, 7 * BYTES / 8),
        (((X,), ()), ((), (X,)), 1, BYTES / 2 / 2),
        (((X,), (Y,)), ((), (Y,)), 1, BYTES / 8),
        (((X,), ()), ((Y,), ()), 1, BYTES / 4),  # a slice and a permutation
    ],
)
def test_a_move_takes_steps_and_sends_bytes(before: Placement, after: Placement, steps: int, bytes: float):
    assert time(before, after) == pytest.approx(steps * 1e-6 + bytes / 1e9)


def test_each_axis_has_its_own_link():
    assert time(((X,), ()), ((), ()), RINGS) == pytest.approx(1e-6 + BYTES / 2 / 2e9)
    assert time(((Y,), ()), ((), ()), RINGS) == pytest.approx(3 * 2e-6 + 3 * BYTES / 4 / 1e9)


def test_times_grow_with_bytes_whatever_the_shape():
    for before, after in product(PLACEMENTS, repeat=2):
        small, large = (time(before, after, shape=shape) for shape in ((8, 8), (64, 128)))
        latency = 2 * small - time(before, after, shape=(8, 16))
        assert large - latency == pytest.approx((small - latency) * 128, abs=1e-15)


def test_a_part_of_a_padded_tensor_has_the_padding():
    times = MoveTimes(AXES, SWITCH)
    assert times.part_bytes(TensorType(f32, [7]), [((),), ((0,),), ((1,),)]).tolist() == [28, 16, 8]
