"""Shardings in messages, which users paste into their programs."""

import pytest

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.sharding_text import dimensions_and_spec

Axes = list[list[str | AxisRefAttr]]


@pytest.mark.parametrize(
    ("axes", "text", "spec"),
    [
        ([["x"], [], ["y", "z"], []], '[{"x"}, {}, {"y", "z"}, {}]', ', P("x", None, ("y", "z"))'),
        ([[], []], "[{}, {}]", ", P()"),
        ([[AxisRefAttr("x", (1, 2))], []], '[{"x":(1)2}, {}]', ""),
    ],
)
def test_a_sharding_dimensions_and_spec(axes: Axes, text: str, spec: str):
    sharding = TensorShardingAttr("mesh", axes)
    assert dimensions_and_spec(sharding, is_jax=False) == text
    assert dimensions_and_spec(sharding, is_jax=True) == text + spec


def test_partial_sums_are_left_to_shardy():
    sharding = TensorShardingAttr("mesh", [["x"]], (), ["y"])
    assert dimensions_and_spec(sharding, is_jax=True) == '[{"x"}], unreduced={"y"}'
