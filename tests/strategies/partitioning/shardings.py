"""Meshes of one to three axes, and any sharding of any tensor over them."""

from collections.abc import Iterator

from hypothesis import strategies as st
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.dialects.function_attributes import add_argument_attributes, add_result_attributes
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import (
    DimensionShardingAttr,
    TensorShardingAttr,
    TensorShardingPerValueAttr,
)
from xshardy.dialects.sdy.axis_refs import merged, sharded_size
from xshardy.dialects.sdy.collectives import sorted_and_merged
from xshardy.dialects.sdy.ops import MeshOp, ShardingConstraintOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.rewriting.walk import operations_in

MESHES = (
    MeshAttr.of([("x", 2)]),
    MeshAttr.of([("x", 4)]),
    MeshAttr.of([("x", 3)]),
    MeshAttr.of([("x", 2), ("y", 2)]),
    MeshAttr.of([("x", 4), ("y", 2)], [3, 1, 0, 2, 7, 5, 6, 4]),
    MeshAttr.of([("x", 3), ("y", 2)]),
    MeshAttr.of([("x", 2), ("y", 1), ("z", 2)]),
    MeshAttr.of([("x", 2), ("y", 2), ("z", 2)]),
)
meshes = st.sampled_from(MESHES)


def atoms(mesh: MeshAttr) -> list[AxisRefAttr]:
    """Axes of two or three devices each, which every other axis of `mesh` is made of."""
    return [
        AxisRefAttr(name) if extent < 4 else AxisRefAttr.part(name, pre_size, 2)
        for name, extent in mesh.sizes.items()
        if extent > 1
        for pre_size in ([1] if extent < 4 else [1, 2])
    ]


@st.composite
def shardings(
    draw: st.DrawFn, mesh: MeshAttr, type: TensorType[Attribute], *, uneven: bool = False, unreduced: bool = False
) -> TensorShardingAttr:
    """Any sharding of a tensor; one that does not divide it is rare, unless `uneven`. It may be `unreduced` by sums."""
    shape = type.get_shape()
    axes: list[list[AxisRefAttr]] = [[] for _ in shape]
    sums: list[AxisRefAttr] = []
    for atom in draw(st.permutations(atoms(mesh))) if shape or unreduced else ():
        place = draw(st.integers(-2 if unreduced else -1, len(shape) - 1))
        if place < 0:
            sums += [atom] * (place == -2)
            continue
        longer = [*merged([*axes[place], atom], mesh)]
        is_even = shape[place] > 0 and shape[place] % sharded_size(tuple(longer), mesh) == 0
        if is_even or draw(st.integers(0, 2 if uneven else 19)) == 0:
            axes[place] = longer
    dims = [DimensionShardingAttr(of, is_closed=draw(st.booleans())) for of in axes]
    return TensorShardingAttr("mesh", dims, (), sorted_and_merged(sums, mesh))


def tensors_of(op: Operation) -> Iterator[SSAValue]:
    """The results that can have a sharding."""
    return (value for value in op.results if isinstance(value.type, TensorType))


def _constrain_arguments(draw: st.DrawFn, function: func.FuncOp, mesh: MeshAttr) -> None:
    """Put a sharding constraint behind each argument of `function` that is a tensor with dimensions."""
    block = function.body.block
    for argument in block.args:
        if isinstance(argument.type, TensorType) and argument.type.get_shape() and block.first_op is not None:
            constraint = ShardingConstraintOp(argument, draw(shardings(mesh, argument.type, uneven=True)))
            argument.replace_uses_with_if(constraint.result, lambda use, own=constraint: use.operation is not own)
            block.insert_op_before(constraint, block.first_op)


def _constrain_result(draw: st.DrawFn, value: SSAValue, mesh: MeshAttr) -> None:
    """Let what reads `value` read it through a sharding constraint."""
    type, op = value.type, value.owner
    assert isinstance(type, TensorType) and isinstance(op, Operation)
    constraint = ShardingConstraintOp(value, draw(shardings(mesh, type, unreduced=True)))
    value.replace_uses_with_if(constraint.result, lambda use: use.operation is not constraint)
    op.parent_block().insert_op_after(constraint, op)  # pyright: ignore[reportOptionalMemberAccess]


def shard(
    draw: st.DrawFn,
    module: ModuleOp,
    mesh: MeshAttr,
    *,
    inside: bool,
    uneven: bool = False,
    unreduced: bool = False,
    alone: bool = False,
) -> None:
    """
    Give some arguments and results of functions a sharding, and some of operations if `inside`.

    If `unreduced`, some of these tensors are unreduced. If `alone`, some operations are on one device.

    If `uneven`, operations read arguments with another sharding, which often does not divide them.
    """

    def some(type: Attribute) -> TensorShardingAttr | None:
        if not isinstance(type, TensorType) or not draw(st.integers(0, 3)):
            return None
        return draw(shardings(mesh, type, uneven=uneven, unreduced=unreduced))  # pyright: ignore

    devices = range(min(mesh.device_count, 2)) if alone else ()
    of_one = [MeshOp(f"device_{device}", MeshAttr.of([], [device])) for device in devices]
    module.body.block.insert_ops_before(  # pyright: ignore[reportUnknownMemberType]
        [MeshOp("mesh", mesh), *of_one],
        module.body.block.first_op,  # pyright: ignore[reportArgumentType]
    )
    for function in [op for op in module.ops if isinstance(op, func.FuncOp)]:
        if function.sym_name.data != "main":
            continue
        if uneven:
            _constrain_arguments(draw, function, mesh)
        types = function.function_type
        for add, listed in ((add_argument_attributes, types.inputs), (add_result_attributes, types.outputs)):
            drawn = {index: found for index, type in enumerate(listed) if (found := some(type)) is not None}
            add(function, {index: {SHARDING: sharding} for index, sharding in drawn.items()})
        for op in operations_in(function):
            parent = op.parent_op()
            if not inside or not op.results or not isinstance(parent, func.FuncOp):
                continue
            if not all(isinstance(result.type, TensorType) for result in op.results):
                continue
            if unreduced and draw(st.integers(0, 3)) == 0:
                _constrain_result(draw, op.results[0], mesh)
            found = [some(result.type) for result in op.results]
            if of_one and draw(st.booleans()):
                found = [TensorShardingAttr.fully_closed(draw(st.sampled_from(of_one)).sym_name.data, 0)] * len(found)
            if any(found):
                op.attributes[SHARDING] = TensorShardingPerValueAttr(
                    each or TensorShardingAttr.fully_open("mesh", len(result.type.get_shape()))  # pyright: ignore
                    for each, result in zip(found, op.results, strict=True)
                )
