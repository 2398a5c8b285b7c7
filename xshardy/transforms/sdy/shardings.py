"""The shardings and meshes that a module names, and changes of a sharding."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
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
from xshardy.dialects.stablehlo.attributes import DimensionNumbers
from xshardy.ir import new_attribute
from xshardy.rewriting.walk import attributes_on, held_attributes_in

HOLD_NO_SHARDINGS = (OpShardingRuleAttr, FunctionType, DenseIntOrFPElementsAttr, DenseArrayBase, DimensionNumbers)
"""Attributes that are large or frequent and hold neither shardings nor meshes: attribute patterns skip them."""


def meshes_of(module: ModuleOp) -> dict[str, MeshAttr]:
    """The meshes that `module` declares, by name."""
    return {op.sym_name.data: op.mesh for op in module.ops if isinstance(op, MeshOp)}


def priority_of(dimension: DimensionShardingAttr) -> int | None:
    """The priority that is written on `dimension`; None if there is none."""
    return None if isinstance(dimension.priority, NoneAttr) else dimension.priority.data


def with_mesh(sharding: TensorShardingAttr, mesh_or_ref: SymbolRefAttr | MeshAttr) -> TensorShardingAttr:
    """`sharding` over `mesh_or_ref`, another mesh or another way to write the same one."""
    return new_attribute(
        TensorShardingAttr,
        mesh_or_ref,
        sharding.dim_shardings,
        sharding.replicated_axes,
        sharding.unreduced_axes,
        sharding.reduction_op,
    )


def with_dimensions(sharding: TensorShardingAttr, dim_shardings: Iterable[DimensionShardingAttr]) -> TensorShardingAttr:
    """`sharding` with other dimension shardings."""
    return new_attribute(
        TensorShardingAttr,
        sharding.mesh_or_ref,
        ArrayAttr(dim_shardings),
        sharding.replicated_axes,
        sharding.unreduced_axes,
        sharding.reduction_op,
    )


def shardings_in(module: ModuleOp) -> Iterator[TensorShardingAttr]:
    """The shardings that `module` names, each object once, in any order."""
    return shardings_of(chain(attributes_on((module,)).values(), held_attributes_in(module).distinct()))


def shardings_of(attributes: Iterable[Attribute]) -> Iterator[TensorShardingAttr]:
    """The shardings that `attributes` of operations name, in their order."""
    for attribute in attributes:
        if type(attribute) is TensorShardingAttr:
            yield attribute
        elif type(attribute) is TensorShardingPerValueAttr:
            yield from attribute.shardings
        elif type(attribute) is ArrayAttr:  # of arguments or results of a function
            for entry in dictionaries_in(cast(Attribute, attribute)):
                if isinstance(sharding := entry.data.get(SHARDING), TensorShardingAttr):
                    yield sharding
