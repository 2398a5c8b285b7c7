"""Which shardings are valid, against what sub-axes mean: digits of a device's coordinate, and no digit used twice."""

import gc
import sys
import time
import weakref
from itertools import chain, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sdy_strategies import shardings
from xdsl.dialects.builtin import Float32Type, FunctionType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.discardable import verify
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import merged
from xshardy.dialects.sdy.collectives import gathered, sliced
from xshardy.dialects.sdy.ops import MeshOp, ShardingConstraintOp
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.dialects.sdy.verification import verify_sharding

ATOMS = st.sampled_from(["a", "b"])
SUB_AXES = st.builds(AxisRefAttr.part, ATOMS, st.integers(0, 8), st.integers(0, 8))
AXES = st.one_of(st.builds(AxisRefAttr, ATOMS), SUB_AXES)


def is_valid(sharding: TensorShardingAttr, rank: int, *ops: MeshOp) -> bool:
    constraint = ShardingConstraintOp(Block(arg_types=[TensorType(Float32Type(), [8] * rank)]).args[0], sharding)
    ModuleOp([*ops, constraint])
    try:
        verify_sharding(sharding, constraint.result.type, constraint)
    except VerifyException:
        return False
    return True


def split_off(axis: AxisRefAttr, size: int) -> set[tuple[str, int]] | None:
    """
    The devices along an axis of `size` that `axis` steps through from device 0; None if it is no sub-axis.

    A sub-axis steps with a stride of whole numbers, through less than all of the axis, and does not leave it.
    """
    if axis.is_full:
        return {(axis.axis.data, device) for device in range(size)}
    pre_size, steps = axis.sub_axis.pre_size.data, axis.sub_axis.size.data
    if pre_size < 1 or steps < 2 or size % (pre_size * steps) or steps == size:
        return None
    stride = size // (pre_size * steps)
    return {(axis.axis.data, step * stride) for step in range(steps)}


def steps_between(axis: AxisRefAttr, size: int) -> range:
    """The strides of the digits of `axis`, as a range of the axis that is divided, from the last to the first."""
    if axis.is_full:
        return range(1, size + 1)
    pre_size, steps = axis.sub_axis.pre_size.data, axis.sub_axis.size.data
    return range(size // (pre_size * steps), size // pre_size + 1)


@given(
    st.lists(st.lists(AXES, max_size=3), min_size=1, max_size=2),
    st.lists(AXES, max_size=2),
    st.sampled_from([4, 6, 8]),
    st.sampled_from([2, 4]),
)
def test_valid_axes(dims: list[list[AxisRefAttr]], replicated: list[AxisRefAttr], a: int, b: int):
    mesh = MeshAttr.of([("a", a), ("b", b)])
    sharding = TensorShardingAttr(mesh, [DimensionShardingAttr(axes, is_closed=True) for axes in dims], replicated)
    listed = [*chain(*dims), *replicated]
    sizes = mesh.sizes
    expected = all(split_off(axis, sizes[axis.axis.data]) for axis in listed)
    if expected:
        # No two overlap: their strides have at most the border in common.
        spans = [(axis.axis.data, steps_between(axis, sizes[axis.axis.data])) for axis in listed]
        for index, (name, span) in enumerate(spans):
            for other, another in spans[:index]:
                expected &= name != other or span[-1] <= another[0] or another[-1] <= span[0]
        # Adjacent axes cannot be merged, and lists without order follow the mesh: major to minor.
        for axes in (*dims, replicated):
            expected &= merged(axes, mesh) == tuple(axes)
        keys = [(axis.axis.data, -steps_between(axis, sizes[axis.axis.data])[-1]) for axis in replicated]
        expected &= all(one <= next for one, next in pairwise(keys))
    assert is_valid(sharding, len(dims)) == expected


@given(shardings())
def test_merging_sub_axes_makes_a_sharding_valid(sample: tuple[TensorShardingAttr, MeshAttr]):
    sharding, mesh = sample
    dims = [
        DimensionShardingAttr(
            merged(dimension.axes, mesh),
            is_closed=bool(dimension.is_closed),
            priority=dimension.priority.data if dimension.axes.data and hasattr(dimension.priority, "data") else None,
        )
        for dimension in sharding.dim_shardings
    ]
    proper = TensorShardingAttr(
        sharding.mesh_or_ref, dims, merged(sharding.replicated_axes, mesh), merged(sharding.unreduced_axes, mesh)
    )
    assert is_valid(proper, proper.rank, MeshOp("mesh", mesh))
    assert not is_valid(proper, proper.rank + 1, MeshOp("mesh", mesh))


@given(shardings(st.just(2)))
def test_gathering_undoes_slicing(sample: tuple[TensorShardingAttr, MeshAttr]):
    sharding, mesh = sample
    kept, moved = (merged(dimension.axes, mesh) for dimension in sharding.dim_shardings)
    longer = DimensionShardingAttr(sliced(DimensionShardingAttr(kept, is_closed=True), moved, mesh), is_closed=True)
    assert tuple(gathered(longer, moved, 0, mesh, "gathering")) == kept


def function_with_a_sharding(name: str) -> tuple[ModuleOp, MeshOp, FuncOp]:
    type = TensorType(Float32Type(), [8])
    mesh = MeshOp(name, MeshAttr.of([("x", 2)]))
    body = Block(arg_types=[type])
    constraint = ShardingConstraintOp(
        body.args[0], TensorShardingAttr(name, [DimensionShardingAttr([AxisRefAttr("x")], is_closed=True)])
    )
    body.add_ops([constraint, ReturnOp()])
    function = FuncOp("f", FunctionType.from_lists([type], []), Region(body))
    return ModuleOp([mesh, function]), mesh, function


def test_a_mesh_is_found_for_as_long_as_it_stands_there():
    module, mesh, function = function_with_a_sharding("mesh")
    verify(module)
    constraint = next(op for op in function.walk() if isinstance(op, ShardingConstraintOp))
    assert lookup_mesh(constraint.sharding, constraint) is mesh.mesh
    mesh.properties["mesh"] = MeshAttr.of([("y", 2)])
    with pytest.raises(VerifyException, match='unknown axis name: "x"'):
        verify(module)
    mesh.detach()
    assert lookup_mesh(constraint.sharding, constraint) is None
    module.body.block.add_op(MeshOp("mesh", MeshAttr.of([("x", 4)])))
    verify(module)
    renamed = next(op for op in module.ops if isinstance(op, MeshOp))
    renamed.properties["sym_name"] = MeshOp("other", renamed.mesh).sym_name
    with pytest.raises(VerifyException, match="unknown mesh: @mesh"):
        verify(module)


def test_modules_are_not_kept_alive_by_the_meshes_looked_up_in_them():
    module = function_with_a_sharding("mesh")[0]
    verify(module)
    gone = weakref.ref(module)
    del module
    gc.collect()
    assert gone() is None


@pytest.mark.skipif(sys.gettrace() is not None, reason="a debugger changes the time that things take")
def test_verification_is_linear_in_the_number_of_functions():
    """The mesh stands behind all functions, each of which looks it up."""

    def seconds(functions: int) -> float:
        module, mesh, _ = function_with_a_sharding("mesh")
        for index in range(functions):
            _, _, function = function_with_a_sharding("mesh")
            function.detach()
            function.properties["sym_name"] = MeshOp(f"f{index}", mesh.mesh).sym_name
            module.body.block.add_op(function)
        mesh.detach()
        module.body.block.add_op(mesh)
        times: list[float] = []
        for _ in range(3):
            start = time.process_time()
            verify(module)
            times.append(time.process_time() - start)
        return min(times)

    assert seconds(1600) < 16 * seconds(200)  # 8 if linear, 64 if each lookup walks the module
