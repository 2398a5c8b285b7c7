"""Shardings of a tensor in several shapes that give each device the same elements."""

import pytest
from xdsl.dialects.builtin import TensorType, f32

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.redundant_reshards import axis_strides
from xshardy.syntax.parser import Parser
from xshardy.universe import new_context


@pytest.mark.parametrize(
    "sharding, shape, expected",
    [
        ('[{"a"}]', [8], [(1, '"a"')]),
        ('[{"a":(1)2}, {"a":(2)2}, {"a":(4)2}]', [2, 2, 2], [(1, '"a"')]),
        ('[{"a"}, {}]', [8, 4], [(4, '"a"')]),
        ('[{"a":(1)4}, {}, {"a":(4)2}]', [4, 3, 2], [(1, '"a":(4)2'), (6, '"a":(1)4')]),
        ('[{"b", "a"}]', [16], [(1, '"a"'), (8, '"b"')]),
    ],
)
def test_distances_between_neighbours(sharding: str, shape: list[int], expected: list[tuple[int, str]]):
    mesh = Parser(new_context(), '#sdy.mesh<["a"=8, "b"=2]>').parse_attribute()
    parsed = Parser(new_context(), f"#sdy.sharding<@mesh, {sharding}>").parse_attribute()
    assert isinstance(mesh, MeshAttr) and isinstance(parsed, TensorShardingAttr)
    found = axis_strides(parsed, TensorType(f32, shape), mesh)
    assert [(stride, str(axis)) for stride, axis in found] == [(d, f"#sdy<axis_ref{axis}>") for d, axis in expected]
