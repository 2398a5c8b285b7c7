"""Shardings as JAX writes them: `PartitionSpec`s, nested as the arguments of a function."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.engines.pjrt.devices import import_jax
from xshardy.rewriting.walk import operations_in
from xshardy.syntax.source_names import SourceNames
from xshardy.transforms.sdy_propagation.propagation_history import History


@dataclass(frozen=True, slots=True)
class Structure:
    """How arguments and results are nested: `jax.tree_util.PyTreeDef`s, or None for a flat program."""

    arguments: Any = None
    """Of `(args, kwargs)`."""
    results: Any = None
    kept: frozenset[int] | None = None
    """The leaves of the arguments that are arguments of the program; all if None."""

    def of_arguments(self, leaves: Sequence[Any]) -> Any:
        """`leaves` nested as the positional arguments; None for those that are not kept."""
        if self.arguments is None:
            return tuple(leaves)
        remaining = iter(leaves)
        count: int = self.arguments.num_leaves
        every = [next(remaining) if self.kept is None or index in self.kept else None for index in range(count)]
        return self.arguments.unflatten(every)[0]

    def of_results(self, leaves: Sequence[Any]) -> Any:
        """`leaves` nested as the results."""
        return tuple(leaves) if self.results is None else self.results.unflatten(leaves)


def structure_of(source: Any) -> Structure:
    """That of `jax.stages.Lowered` or `jax.export.Exported`; a flat one for anything else."""
    arguments, results = getattr(source, "in_tree", None), getattr(source, "out_tree", None)
    lowering = getattr(source, "_lowering", None)
    kept = getattr(source, "module_kept_var_idx", None)
    if kept is None:
        kept = getattr(lowering, "compile_args", {}).get("kept_var_idx")
    return Structure(arguments, results, None if kept is None else frozenset(kept))


def partition_spec(sharding: TensorShardingAttr | None) -> Any:
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


def named_specs(module: ModuleOp, history: History, names: SourceNames) -> Mapping[str, Any]:
    """The `PartitionSpec`s of the values of `module` with names; none for those that are over sub-axes."""
    specs: dict[str, Any] = {}

    def add(value: SSAValue) -> None:
        number = history.number(value)
        known = [name for name in (names.of(value), names.given(value)) if name is not None]
        if number is not None and known:
            try:
                spec = partition_spec(history.sharding(number))
            except ValueError:
                return
            specs.update(dict.fromkeys(known, spec))

    for op in operations_in(module):
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    add(argument)
        for result in op.results:
            add(result)
    return specs
