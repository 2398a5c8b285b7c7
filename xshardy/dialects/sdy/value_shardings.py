"""The sharding of a value, wherever it is stored, and the mesh that it refers to."""

from collections.abc import Iterable, Iterator
from functools import cache
from weakref import WeakKeyDictionary, WeakValueDictionary

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, NoneAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from xshardy.dialects.attribute_names import SHARDING as SHARDING
from xshardy.dialects.sdy.attributes.mesh import ManualAxesAttr, MeshAttr
from xshardy.dialects.sdy.attributes.sharding import (
    DimensionShardingAttr,
    TensorShardingAttr,
    TensorShardingPerValueAttr,
)
from xshardy.dialects.sdy.interfaces import CollectiveOpInterface, ShardableDataFlowOpInterface

SHARDING_RULE = "sdy.sharding_rule"
PROPAGATION_EDGES = "sdy.propagation_edges"
RESULT_PROPAGATION_EDGES = "sdy.result_propagation_edges"
BLOCK_ARG_PROPAGATION_EDGES = "sdy.block_arg_propagation_edges"

LOOPS = frozenset({"stablehlo.while"})
"""Operations of other dialects whose blocks have an argument for each result, sharded as that is."""


def enclosing_module(op: Operation) -> ModuleOp | None:
    """The module around `op`; None outside of one."""
    around = op.parent_op()
    while around is not None and not isinstance(around, ModuleOp):
        around = around.parent_op()
    return around


_found_meshes: WeakKeyDictionary[ModuleOp, WeakValueDictionary[str, Operation]] = WeakKeyDictionary()
"""For each module, the meshes that were looked up in it. One is good for as long as it stands there by that name."""


def _mesh_in(module: ModuleOp, name: str) -> MeshAttr | None:
    """The mesh that `module` has by this name; None if it has none. Its meshes need not have been verified yet."""
    if (found := _found_meshes.get(module)) is None:
        found = _found_meshes[module] = WeakValueDictionary()
    known = found.get(name)
    if known is None or known.parent_op() is not module or not _is_called(known, name):
        meshes = (op for op in module.ops if op.name == "sdy.mesh")
        known = next((op for op in meshes if _is_called(op, name)), None)
        if known is None:
            return None
        found[name] = known
    mesh = known.properties.get("mesh")
    return mesh if isinstance(mesh, MeshAttr) else None


def _is_called(op: Operation, name: str) -> bool:
    symbol = op.properties.get("sym_name")
    return isinstance(symbol, StringAttr) and symbol.data == name


def lookup_mesh(sharding: TensorShardingAttr, op: Operation) -> MeshAttr | None:
    """The mesh of `sharding` on `op`: written out in it, or named and looked up; None if there is no such mesh."""
    if isinstance(sharding.mesh_or_ref, MeshAttr):
        return sharding.mesh_or_ref
    module = enclosing_module(op)
    return None if module is None else _mesh_in(module, sharding.mesh_or_ref.string_value())


def common_mesh(shardings: Iterable[TensorShardingAttr], op: Operation) -> MeshAttr | None:
    """The one mesh that all of `shardings` are over, empty meshes aside; None if there is none, or more than one."""
    meshes = {mesh for sharding in shardings if (mesh := lookup_mesh(sharding, op)) is not None}
    if len(meshes) > 1:
        meshes = {mesh for mesh in meshes if not mesh.is_empty}
    return meshes.pop() if len(meshes) == 1 else None


def function_argument_sharding(function: FuncOp, index: int) -> TensorShardingAttr | None:
    """The sharding of an argument of a function."""
    attributes = function.arg_attrs
    if not isinstance(attributes, ArrayAttr) or index >= len(attributes):
        return None
    sharding = attributes.data[index].data.get(SHARDING)
    return sharding if isinstance(sharding, TensorShardingAttr) else None


@cache
def _lists_shardings(kind: type[Operation]) -> bool:
    """Whether operations of this class list the shardings of their results, unless they have a property `sharding`."""
    return not issubclass(kind, ShardableDataFlowOpInterface | CollectiveOpInterface)


def _listed_sharding(op: Operation, index: int) -> TensorShardingAttr | None:
    """The sharding that `sdy.sharding` of `op` has at `index`."""
    listed = op.attributes.get(SHARDING)
    if listed is None or not isinstance(listed, TensorShardingPerValueAttr):
        return None
    shardings = listed.shardings.data
    return shardings[index] if index < len(shardings) else None


def get_sharding(value: SSAValue) -> TensorShardingAttr | None:
    """The sharding of `value`, wherever it is written: on what produces it, or on the data flow edge it is part of."""
    if isinstance(value, OpResult):
        owner = value.op
        if _lists_shardings(type(owner)) and "sharding" not in owner.properties:  # most values
            return _listed_sharding(owner, value.index)
    elif isinstance(value, BlockArgument):
        owner = value.block.parent_op()
        if isinstance(owner, FuncOp):
            return function_argument_sharding(owner, value.index)
    else:
        owner = value.owner
    if isinstance(owner, ShardableDataFlowOpInterface):
        target = owner.edge_owner_from_target(value)
        return None if target is None else owner.edge_owner_sharding(target)
    if not isinstance(owner, Operation):
        return None
    # Operations of sdy that have one result keep its sharding as a property.
    own = owner.properties.get("out_sharding" if isinstance(owner, CollectiveOpInterface) else "sharding")
    if isinstance(own, TensorShardingAttr):
        return own
    if isinstance(value, OpResult) or (isinstance(value, BlockArgument) and owner.name in LOOPS):
        return _listed_sharding(owner, value.index)
    return None


def without_axes(sharding: TensorShardingAttr, names: Iterable[str]) -> TensorShardingAttr:
    """`sharding` as the body of a manual computation over the axes `names` has it: it is local to them."""
    manual = set(names)
    if not manual:
        return sharding
    dims = (
        DimensionShardingAttr(
            (axis for axis in dim.axes if axis.axis.data not in manual),
            is_closed=bool(dim.is_closed),
            priority=None if isinstance(dim.priority, NoneAttr) else dim.priority.data,
        )
        for dim in sharding.dim_shardings
    )
    replicated = (axis for axis in sharding.replicated_axes if axis.axis.data not in manual)
    unreduced = (axis for axis in sharding.unreduced_axes if axis.axis.data not in manual)
    return TensorShardingAttr(sharding.mesh_or_ref, dims, replicated, unreduced, sharding.reduction_op.data)


def local_sharding(value: SSAValue) -> TensorShardingAttr | None:
    """The sharding of `value` for operations that read it: inside of a manual computation without its manual axes."""
    sharding = get_sharding(value)
    if isinstance(value, OpResult) or sharding is None:  # most values: a test for another class takes longer
        return sharding
    if not isinstance(value, BlockArgument) or (around := value.block.parent_op()) is None:
        return sharding
    manual = around.properties.get("manual_axes")
    return without_axes(sharding, manual.names) if isinstance(manual, ManualAxesAttr) else sharding


def shardings_on(op: Operation) -> Iterator[tuple[str, TensorShardingAttr, Attribute]]:
    """Every sharding that stands on `op`: of which value (`result 0`, `arg 1`, ...), the sharding, the value's type."""
    if isinstance(op, FuncOp):
        types = op.function_type
        for what, dictionaries, values in (
            ("arg", op.arg_attrs, types.inputs),
            ("result", op.res_attrs, types.outputs),
        ):
            for index, (dictionary, type) in enumerate(zip(dictionaries or (), values, strict=False)):
                if isinstance(sharding := dictionary.data.get(SHARDING), TensorShardingAttr):
                    yield f"{what} {index}", sharding, type
    for name, what, types in (
        (SHARDING, "result", op.result_types),
        ("sharding", "result", op.result_types),
        ("out_sharding", "result", op.result_types),
        ("in_shardings", "operand", op.operand_types),
        ("out_shardings", "result", op.result_types),
    ):
        match op.attributes.get(name) if name == SHARDING else op.properties.get(name):
            case TensorShardingAttr() as sharding:
                listed = (sharding,)
            case TensorShardingPerValueAttr(shardings=shardings):
                listed = shardings.data
            case _:
                listed = ()
        for index, (sharding, type) in enumerate(zip(listed, types, strict=False)):
            yield f"{what} {index}", sharding, type
