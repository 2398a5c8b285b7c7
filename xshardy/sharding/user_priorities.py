"""
User priorities: a dimension sharding with priority n takes part after propagation of all lower numbers is done.

Until then it is deferred: the dimension is closed without axes, and its axes are added to the replicated ones, so that
no other dimension takes them.
Source: Shardy's docs, "Sharding propagation", section "User priorities".
"""

from collections.abc import Mapping

from xshardy.sharding.interning import NO_SHARDING, DimSharding, Sharding
from xshardy.sharding.program import Program


def _priority(dim: DimSharding) -> int:
    return dim.priority or 0


def without_deferred(sharding: Sharding) -> Sharding:
    """`sharding` as it takes part at first: dimensions with a priority other than 0 are deferred."""
    axes = [axis for dim in sharding.dims if _priority(dim) for axis in dim.axes]
    dims = (DimSharding((), is_closed=True) if _priority(dim) else dim._replace(priority=None) for dim in sharding.dims)
    return sharding._replace(dims=tuple(dims), replicated=tuple(sorted((*sharding.replicated, *axes))))


def admit(current: Sharding, original: Sharding, priority: int) -> Sharding:
    """`current` with the deferred dimensions of this priority, as they are in `original`."""
    axes = {axis for dim in original.dims if _priority(dim) == priority for axis in dim.axes}
    dims = (
        dim._replace(priority=None) if _priority(dim) == priority else now
        for now, dim in zip(current.dims, original.dims, strict=True)
    )
    replicated = tuple(axis for axis in current.replicated if axis not in axes)
    return current._replace(dims=tuple(dims), replicated=replicated)


def defer(program: Program) -> Mapping[int, Mapping[int, Sharding]]:
    """
    Defer the dimension shardings of `program` with a priority other than 0, and drop all priorities.

    Returns the original shardings by priority, lowest number first, and by value.
    """
    table = program.table
    deferred: dict[int, dict[int, Sharding]] = {}
    for value, number in enumerate(program.shardings):
        if number == NO_SHARDING or (sharding := table.sharding(number)) is None:
            continue
        if all(dim.priority is None for dim in sharding.dims):
            continue
        for priority in {_priority(dim) for dim in sharding.dims} - {0}:
            deferred.setdefault(priority, {})[value] = sharding
        program.shardings[value] = table.number(without_deferred(sharding))
    return {priority: deferred[priority] for priority in sorted(deferred)}
