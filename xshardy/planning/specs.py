"""Shardings as JAX writes them: `PartitionSpec`s."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from xdsl.ir import SSAValue

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.programs.jax_functions import import_jax
from xshardy.programs.sharded import Sharded
from xshardy.rewriting.walk import operations_in

if TYPE_CHECKING:
    from jax.sharding import PartitionSpec


def partition_spec(sharding: TensorShardingAttr | None) -> "PartitionSpec":
    """The `PartitionSpec` of `sharding`, without trailing whole dimensions. Raises `ValueError` for a sub-axis."""
    dims = [_entry(dim.axes.data) for dim in sharding.dim_shardings] if sharding is not None else []
    while dims and dims[-1] is None:
        dims.pop()
    return import_jax().sharding.PartitionSpec(*dims)


def _entry(axes: Sequence[AxisRefAttr]) -> str | tuple[str, ...] | None:
    for axis in axes:
        if not axis.is_full:
            raise ValueError(f'a part of axis "{axis.axis.data}" shards a dimension, which a PartitionSpec cannot say')
    names = tuple(axis.axis.data for axis in axes)
    return names if len(names) > 1 else names[0] if names else None


def named_specs(sharded: Sharded) -> Mapping[str, "PartitionSpec"]:
    """The `PartitionSpec`s of the values of `sharded` with names; none for those that are over sub-axes."""
    specs: dict[str, PartitionSpec] = {}
    history, names = sharded.history, sharded.names

    def add(value: SSAValue) -> None:
        number = history.number(value)
        value_names = [name for name in (names.of(value), names.given(value)) if name is not None]
        if number is not None and value_names:
            try:
                spec = partition_spec(sharded.sharding(number))
            except ValueError:
                return
            specs.update(dict.fromkeys(value_names, spec))

    for op in operations_in(sharded.module):
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    add(argument)
        for result in op.results:
            add(result)
    return specs
