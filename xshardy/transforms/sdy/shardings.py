"""The shardings and meshes that a module names, and changes of a sharding."""

from collections.abc import Iterable, Iterator
from itertools import chain

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FunctionType,
    ModuleOp,
    NoneAttr,
    SymbolRefAttr,
)
from xdsl.ir import Attribute

from xshardy.dialects.function_attributes import dictionaries_in
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.attributes.sharding import (
    DimensionShardingAttr,
    TensorShardingAttr,
    TensorShardingPerValueAttr,
)
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.rewriting.walk import operations_from

HOLD_NO_SHARDINGS = (OpShardingRuleAttr, FunctionType, DenseIntOrFPElementsAttr)
"""Attributes that are large or frequent and hold neither shardings nor meshes: attribute patterns skip them."""

PER_ARGUMENT_OR_RESULT = ("arg_attrs", "res_attrs")
"""The properties of a function with a dictionary for each of its arguments and results."""


def meshes_of(module: ModuleOp) -> dict[str, MeshAttr]:
    """The meshes that `module` declares, by name."""
    return {op.sym_name.data: op.mesh for op in module.ops if isinstance(op, MeshOp)}


def priority_of(dimension: DimensionShardingAttr) -> int | None:
    """The priority that is written on `dimension`; None if there is none."""
    return None if isinstance(dimension.priority, NoneAttr) else dimension.priority.data


def with_mesh(sharding: TensorShardingAttr, mesh_or_ref: SymbolRefAttr | MeshAttr) -> TensorShardingAttr:
    """`sharding` over `mesh_or_ref`, another mesh or another way to write the same one."""
    return TensorShardingAttr(
        mesh_or_ref,
        sharding.dim_shardings,
        sharding.replicated_axes,
        sharding.unreduced_axes,
        sharding.reduction_op.data,
    )


def with_dimensions(sharding: TensorShardingAttr, dim_shardings: Iterable[DimensionShardingAttr]) -> TensorShardingAttr:
    """`sharding` with other dimension shardings."""
    return TensorShardingAttr(
        sharding.mesh_or_ref,
        dim_shardings,
        sharding.replicated_axes,
        sharding.unreduced_axes,
        sharding.reduction_op.data,
    )


def shardings_in(module: ModuleOp) -> Iterator[TensorShardingAttr]:
    """The shardings that `module` names, each object once, in text order."""
    seen: dict[int, Attribute] = {}
    held = [holder for op in operations_from(module) for holder in (op.properties, op.attributes) if holder]
    for name, attribute in chain.from_iterable(holder.items() for holder in held):
        if id(attribute) in seen:
            continue
        seen[id(attribute)] = attribute
        if type(attribute) is TensorShardingAttr:
            yield attribute
        elif type(attribute) is TensorShardingPerValueAttr:
            yield from attribute.shardings
        elif name in PER_ARGUMENT_OR_RESULT:
            for entry in dictionaries_in(attribute):
                if isinstance(sharding := entry.data.get(SHARDING), TensorShardingAttr):
                    yield sharding
