"""Parts of a tensor: against the definition of a sharding, element by element."""

from math import ceil, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import DrawFn, composite, integers, permutations
from xdsl.dialects.builtin import TensorType, i32

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.programs.errors import EngineError

SIZES = {"a": 2, "b": 3, "c": 2}


@composite
def tensors(draw: DrawFn) -> DistributedTensor:
    """A matrix of 0 to 13 rows and columns, divided along some axes of a mesh of 12 devices in any order."""
    axes = draw(permutations(list(SIZES)))
    first, second = sorted(draw(integers(0, 3)) for _ in range(2))
    dims = [axes[:first], axes[first:second]]
    mesh = MeshAttr.of(SIZES.items(), draw(permutations(range(12))))
    sharding = TensorShardingAttr(
        "mesh", [DimensionShardingAttr(map(AxisRefAttr, dim), is_closed=True) for dim in dims]
    )
    shape = [draw(integers(0, 13)) for _ in dims]
    return DistributedTensor(TensorType(i32, shape), 12, sharding, mesh)


def number_along(names: tuple[str, ...], place: dict[str, int]) -> int:
    """The number of a part: the place along `names` together, major to minor."""
    number = 0
    for name in names:
        number = number * SIZES[name] + place[name]
    return number


@given(tensors())
def test_each_device_has_the_part_at_its_place_in_the_mesh(tensor: DistributedTensor):
    assert tensor.mesh is not None
    whole = np.arange(np.prod(tensor.shape), dtype=np.int32).reshape(tensor.shape) + 1
    parts = tensor.parts(whole)
    ids = [device.data for device in tensor.mesh.device_ids] or range(12)
    for device, place in zip(ids, np.ndindex(*SIZES.values()), strict=True):
        numbers = [number_along(names, dict(zip(SIZES, place, strict=True))) for names in tensor.axes]
        part = parts[device]
        for index in np.ndindex(*part.shape):
            at = tuple(n * size + i for n, size, i in zip(numbers, part.shape, index, strict=True))
            is_inside = all(i < extent for i, extent in zip(at, tensor.shape, strict=True))
            assert part[index] == (whole[at] if is_inside else 0)


@given(tensors())
def test_parts_make_the_whole(tensor: DistributedTensor):
    whole = np.arange(np.prod(tensor.shape), dtype=np.int32).reshape(tensor.shape)
    parts = tensor.parts(whole)
    assert {part.shape for part in parts} == {tensor.local_shape}
    counts = [prod(SIZES[name] for name in names) for names in tensor.axes]
    assert tensor.local_shape == tuple(ceil(size / count) for size, count in zip(tensor.shape, counts, strict=True))
    np.testing.assert_array_equal(tensor.whole(parts), whole)


def test_a_tensor_without_a_sharding_is_on_every_device():
    scalar = DistributedTensor(TensorType(i32, []), 3)
    parts = scalar.parts(np.array(7, np.int32))
    assert [int(part) for part in parts] == [7, 7, 7] and scalar.whole(parts) == 7 and scalar.axes == ()


def test_a_tensor_without_a_sharding_or_a_mesh_is_whole_on_each_device():
    type, mesh = TensorType(i32, [4, 6]), MeshAttr.of(SIZES.items())
    sharding = TensorShardingAttr("mesh", [DimensionShardingAttr([AxisRefAttr(axis)], is_closed=True) for axis in "ab"])
    for fields in ((None, None), (None, mesh), (sharding, None)):
        tensor = DistributedTensor(type, 12, *fields)
        assert tensor.local_shape == (4, 6) and tensor.part_numbers == (1, 1) and {*tensor.part_indices} == {(0, 0)}
    assert DistributedTensor(type, 12, sharding, mesh).local_shape == (2, 2)


def test_a_tensor_of_one_device():
    tensor = DistributedTensor(TensorType(i32, [4]), 1)
    np.testing.assert_array_equal(tensor.whole([np.arange(4, dtype=np.int32)]), np.arange(4))


@pytest.mark.parametrize("returned", [[(2, 3)], [(2, 3)] * 11, [(2, 3)] * 11 + [(1, 3)], [(1, 3)] * 12])
def test_parts_that_do_not_fill_the_whole_are_refused(returned: list[tuple[int, ...]]):
    sharding = TensorShardingAttr(
        "mesh", [DimensionShardingAttr([AxisRefAttr(axis)], is_closed=True) for axis in ("a", "b")]
    )
    tensor = DistributedTensor(TensorType(i32, (4, 9)), 12, sharding, MeshAttr.of(SIZES.items()))
    with pytest.raises(EngineError, match=r"12 parts of shape \[2, 3\].*not all of it was written"):
        tensor.whole([np.zeros(shape, np.int32) for shape in returned])
