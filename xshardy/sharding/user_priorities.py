"""
User priorities: dimension shardings with a priority take part only when all those with a lower number are done.

Until then a dimension is closed and without axes, and its axes are kept free by counting as replicated.
Source: Shardy's docs, "Sharding propagation", section "User priorities".
"""

from collections.abc import Mapping

from xshardy.sharding.interning import NO_SHARDING, DimSharding, Sharding
from xshardy.sharding.propagation import Program


def _priority(dim: DimSharding) -> int:
    return dim.priority or 0


def held_back(sharding: Sharding) -> Sharding:
    """What of `sharding` takes part at first: dimensions without a priority, or with priority 0."""
    axes = [axis for dim in sharding.dims if _priority(dim) for axis in dim.axes]
    dims = (DimSharding((), is_closed=True) if _priority(dim) else dim._replace(priority=None) for dim in sharding.dims)
    return sharding._replace(dims=tuple(dims), replicated=tuple(sorted((*sharding.replicated, *axes))))


def let_in(current: Sharding, original: Sharding, priority: int) -> Sharding:
    """`current` with those dimensions of `original` that have this priority, and that were held back until now."""
    axes = {axis for dim in original.dims if _priority(dim) == priority for axis in dim.axes}
    dims = (
        dim._replace(priority=None) if _priority(dim) == priority else now
        for now, dim in zip(current.dims, original.dims, strict=True)
    )
    replicated = tuple(axis for axis in current.replicated if axis not in axes)
    return current._replace(dims=tuple(dims), replicated=replicated)


def hold_back(program: Program) -> Mapping[int, Mapping[int, Sharding]]:
    """
    Hold back the dimension shardings of `program` that have a priority other than 0, and drop all priorities.

    Returns for each priority, lowest number first, the values that have it, with their shardings as they were.
    """
    table = program.table
    waiting: dict[int, dict[int, Sharding]] = {}
    for value, number in enumerate(program.shardings):
        if number == NO_SHARDING or (sharding := table.sharding(number)) is None:
            continue
        if all(dim.priority is None for dim in sharding.dims):
            continue
        for priority in {_priority(dim) for dim in sharding.dims} - {0}:
            waiting.setdefault(priority, {})[value] = sharding
        program.shardings[value] = table.number(held_back(sharding))
    return {priority: waiting[priority] for priority in sorted(waiting)}
