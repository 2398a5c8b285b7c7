"""Rewriting every sharding that a module names, wherever it is written."""

from collections.abc import Callable, Iterator

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, NoneAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import (
    DimensionShardingAttr,
    TensorShardingAttr,
    TensorShardingPerValueAttr,
)
from xshardy.dialects.sdy.value_shardings import SHARDING

PER_ARGUMENT_OR_RESULT = ("arg_attrs", "res_attrs")
"""The properties of a function with a dictionary for each of its arguments and results."""


def priority_of(dimension: DimensionShardingAttr) -> int | None:
    """The priority that is written on `dimension`; None if there is none."""
    return None if isinstance(dimension.priority, NoneAttr) else dimension.priority.data


def with_mesh(sharding: TensorShardingAttr, mesh_or_ref: SymbolRefAttr | MeshAttr) -> TensorShardingAttr:
    """`sharding` over another mesh, or over the same one written in another way."""
    return TensorShardingAttr(
        mesh_or_ref,
        sharding.dim_shardings,
        sharding.replicated_axes,
        sharding.unreduced_axes,
        sharding.reduction_op.data,
    )


def transform_shardings(module: ModuleOp, transform: Callable[[TensorShardingAttr], TensorShardingAttr]) -> None:
    """Replace each sharding in `module` by what `transform` makes of it, in text order. Reads each op once."""
    transformed: dict[TensorShardingAttr, TensorShardingAttr] = {}

    def of_sharding(sharding: TensorShardingAttr) -> TensorShardingAttr:
        if (known := transformed.get(sharding)) is None:
            known = transformed[sharding] = transform(sharding)
        return known

    def of_attribute(attribute: Attribute) -> Attribute:
        match attribute:
            case TensorShardingAttr():
                return of_sharding(attribute)
            case TensorShardingPerValueAttr():
                return TensorShardingPerValueAttr(map(of_sharding, attribute.shardings))
            case _:
                return attribute

    def of_dictionary(dictionary: DictionaryAttr) -> DictionaryAttr:
        sharding = dictionary.data.get(SHARDING)
        if sharding is None:
            return dictionary
        return DictionaryAttr({**dictionary.data, SHARDING: of_attribute(sharding)})

    for op in module.walk():
        for holder, name, attribute in _attributes_of(op):
            if name in PER_ARGUMENT_OR_RESULT and isa(attribute, ArrayAttr[DictionaryAttr]):
                holder[name] = ArrayAttr([of_dictionary(dictionary) for dictionary in attribute])
            else:
                holder[name] = of_attribute(attribute)


def _attributes_of(op: Operation) -> Iterator[tuple[dict[str, Attribute], str, Attribute]]:
    for holder in (op.properties, op.attributes):
        for name, attribute in tuple(holder.items()):
            yield holder, name, attribute
