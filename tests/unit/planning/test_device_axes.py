"""The axes that groups of devices communicate along."""

import pytest

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.planning.device_axes import DeviceAxes

MESH = MeshAttr.of([("data", 4), ("model", 2)])
"""Device `2 * data + model`."""


@pytest.mark.parametrize(
    ("groups", "axes"),
    [
        ([[0, 1], [2, 3], [4, 5], [6, 7]], ("model",)),
        ([[0, 2, 4, 6], [1, 3, 5, 7]], ("data",)),
        ([[0, 1, 2, 3, 4, 5, 6, 7]], ("data", "model")),
        ([[0, 2], [4, 6], [1, 3], [5, 7]], ("data:(2)2",)),
        ([[0, 4], [2, 6], [1, 5], [3, 7]], ("data:(1)2",)),
        ([[0], [1]], ()),
        ([[0], [1, 3, 5, 7]], ("data",)),
    ],
)
def test_axes_of_groups(groups: list[list[int]], axes: tuple[str, ...]):
    assert DeviceAxes(MESH).of(groups) == axes


def test_a_rotation_is_along_the_whole_axis():
    """Neighbours are pairs, but not those of a sub-axis."""
    assert DeviceAxes(MESH).of([[0, 2], [2, 4], [4, 6], [6, 0]]) == ("data",)
