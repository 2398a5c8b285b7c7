"""Shardings as numbers: equal ones have one, and come back as they were."""

import pytest
from xdsl.dialects.builtin import SymbolRefAttr

from xshardy.axes.spans import Span
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.sharding.interning import NO_SHARDING, DimSharding, Sharding, ShardingTable

MESHES = {
    "mesh": MeshAttr.of([("a", 2), ("b", 8)]),
    "same": MeshAttr.of([("a", 2), ("b", 8)]),
    "other": MeshAttr.of([("a", 4)]),
    "empty": MeshAttr.of([]),
    "device": MeshAttr.of([], [3]),
}


def find_mesh(sharding: TensorShardingAttr) -> MeshAttr | None:
    reference = sharding.mesh_or_ref
    return MESHES.get(reference.string_value()) if isinstance(reference, SymbolRefAttr) else reference


def sharding(mesh: str | MeshAttr, *axes: AxisRefAttr) -> TensorShardingAttr:
    return TensorShardingAttr(mesh, [DimensionShardingAttr(axes, is_closed=False, priority=1)])


@pytest.fixture
def table() -> ShardingTable:
    return ShardingTable(find_mesh)


PART = AxisRefAttr.part("b", 2, 4)


def test_equal_shardings_have_one_number(table: ShardingTable):
    first = table.read(sharding("mesh", AxisRefAttr("a"), PART))
    assert table.read(sharding("mesh", AxisRefAttr("a"), PART)) == first
    assert table.read(sharding("same", AxisRefAttr("a"), PART)) != first, "they name different meshes"
    assert table.read(None) == NO_SHARDING
    assert table.sharding(first) == Sharding(0, (DimSharding((Span(0, 1, 2), Span(1, 2, 8)), False, 1),))


def test_a_new_sharding_becomes_an_attribute(table: ShardingTable):
    known = table.read(sharding("mesh"))
    number = table.number(Sharding(0, (DimSharding((Span(1, 1, 8),), True), DimSharding((), False)), (Span(0, 1, 2),)))
    dims = [DimensionShardingAttr([AxisRefAttr("b")], is_closed=True), DimensionShardingAttr(is_closed=False)]
    assert table.attribute(number) == TensorShardingAttr("mesh", dims, [AxisRefAttr("a")])
    assert table.attribute(known) == sharding("mesh")
    assert table.attribute(NO_SHARDING) is None


def test_the_common_mesh(table: ShardingTable):
    mesh, same, other, empty, device = (table.read(sharding(name)) for name in MESHES)
    assert table.common_mesh([NO_SHARDING]) is None
    assert table.common_mesh([NO_SHARDING, mesh, same]) == 0, "the first of those that are equal"
    assert table.common_mesh([empty, same, mesh]) == 1, "an empty mesh gives way"
    assert table.common_mesh([mesh, empty]) == 0
    assert table.common_mesh([mesh, other]) is None
    common = table.common_mesh([device])
    assert common is not None and table.is_maximal(common)


def test_an_unknown_mesh_is_an_error(table: ShardingTable):
    with pytest.raises(KeyError, match="nowhere"):
        table.read(sharding("nowhere"))
