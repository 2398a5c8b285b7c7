"""Meshes with the same axes in different orders: the same parts on the same devices, exchanged without gathers."""

from itertools import permutations, product

import pytest

import xshardy
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.sharding.devices import shard_indices
from xshardy.transforms.sdy_partition.resolve.order_mesh_axes import with_axes_in_order

SIZES = {"x": 2, "y": 3, "z": 2}
SHUFFLED = (7, 1, 11, 5, 3, 9, 0, 2, 4, 6, 8, 10)


@pytest.mark.parametrize(("order", "ids"), product(permutations(SIZES), ((), SHUFFLED)))
def test_devices_keep_their_places(order: tuple[str, ...], ids: tuple[int, ...]):
    mesh = MeshAttr.of(SIZES.items(), ids)
    ordered = with_axes_in_order(mesh, {axis: SIZES[axis] for axis in order})
    assert [*ordered.sizes] == [*order]
    for axes in (("x",), ("y", "z"), ("z", "x", "y")):
        references = [AxisRefAttr(axis) for axis in axes]
        assert [*shard_indices(references, ordered)] == [*shard_indices(references, mesh)]


PROGRAM = """
sdy.mesh @first = <["x"=2, "y"=4]>
sdy.mesh @second = <SECOND>
func.func @main(%a: tensor<8x9xf32> {sdy.sharding = #sdy.sharding<@first, [{"x", "y"}, {}]>})
    -> (tensor<8x9xf32> {sdy.sharding = #sdy.sharding<@second, [{"x", "y"}, {}]>}) {
  %0 = stablehlo.sine %a : tensor<8x9xf32>
  return %0 : tensor<8x9xf32>
}
"""


@pytest.mark.parametrize(
    ("second", "counts"),
    [
        ('["y"=4, "x"=2]', {"collective-permute": 1}),
        ('["y"=4, "x"=2], device_ids=[0, 4, 1, 5, 2, 6, 3, 7]', {}),
        ('["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]', {"collective-permute": 1}),
    ],
)
def test_tensors_are_permuted_or_stay(second: str, counts: dict[str, int], recwarn: pytest.WarningsRecorder):
    text = PROGRAM.replace("SECOND", second)
    assert xshardy.plan(text).counts == counts
    inlined = text.replace("@second, [", f"mesh<{second}>, [").replace(f"sdy.mesh @second = <{second}>", "")
    assert xshardy.plan(inlined).counts == counts
    assert xshardy.run(text, check=True).agrees and xshardy.run(inlined, check=True).agrees
    assert not recwarn.list
