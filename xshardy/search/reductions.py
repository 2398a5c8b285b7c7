"""
Exact reductions of a core: its optimum stays, and a choice of what is left is carried back to an equally good one.

Each is a function of a core and a node that changes the core and returns whether it did.
"""

from collections.abc import Callable, Iterable, Sequence
from math import inf

import numpy as np

from xshardy.search.core import Absorb, Core, Eliminate, Infeasible, Mask
from xshardy.search.problem import FORBIDDEN, Floats, Ints

GROWTH = 2.0
"""The factor by which the entries of the tables of a node may grow when it is left out."""


def drop_unsupported(core: Core, node: int) -> bool:
    """Drop strategies that go with no strategy of a neighbour: no allowed choice has them."""
    supported = np.isfinite(core.costs[node])
    for table in core.tables[node].values():
        supported &= np.isfinite(table).any(1)
    return _keep(core, node, supported)


def drop_oversized(core: Core, node: int) -> bool:
    """Drop strategies that exceed the limit even when all other nodes use their least."""
    fitting = np.ones(len(core.costs[node]), bool)
    for span, usage in core.usages[node].items():
        fitting &= usage <= core.room[slice(*span)].min()
    return _keep(core, node, fitting)


def _keep(core: Core, node: int, mask: Mask) -> bool:
    if mask.all():
        return False
    core.keep(node, np.flatnonzero(mask))
    return True


def drop_separable(core: Core, node: int) -> bool:
    """Drop tables that are a sum of two functions, of one node each: the functions are costs of nodes."""
    changed = False
    for other, table in tuple(core.tables[node].items()):
        row = table[:1]
        if (
            not np.isfinite(table).all()
            or np.abs(table - row - table[:, :1] + row[0, 0]).max() > 1e-15 * abs(table).max()
        ):
            continue
        core.disconnect(node, other)
        core.costs[node] = core.costs[node] + table[:, 0]
        core.costs[other] = core.costs[other] + (row[0] - row[0, 0])
        changed = True
    return changed


def drop_dominated(core: Core, node: int) -> bool:
    """
    Drop strategies that another one can replace in each choice, at no more cost and no more usage at each point.

    To replace `s` by `t` saves, in a table, the least difference of their rows at least. Two columns tell most pairs
    apart; all are compared for the rest, first with the strategy that may save most, which replaces 4 of 5.
    """
    costs, usages, tables = core.costs[node], core.usages[node].values(), core.tables[node].values()
    if len(costs) == 1:
        return False
    like = tuple((array.shape, array.tobytes()) for array in (costs, *usages, *tables))
    if like not in core.dominance:
        core.dominance[like] = _dominance(costs, tuple(usages), [np.minimum(table, FORBIDDEN) for table in tables])
    instead = core.dominance[like]
    kept = np.flatnonzero(instead == np.arange(len(costs)))
    core.keep(node, kept, instead)
    return len(kept) < len(costs)


def _dominance(costs: Floats, usages: Sequence[Floats], tables: Sequence[Floats]) -> Ints:
    """By strategy, the one that replaces it: itself, where none can."""
    size = len(costs)
    saved = costs[:, None] - costs
    most = saved + sum(map(_differences_where_best, tables))
    possible = most >= 0
    for usage in usages:
        possible &= usage[:, None] >= usage
    np.fill_diagonal(possible, False)
    joined = np.hstack([*tables, np.zeros((size, 1))])
    starts = np.cumsum([0, *(table.shape[1] for table in tables)])
    allowed = np.where(joined >= FORBIDDEN, inf, joined)
    alive, instead = np.ones(size, bool), np.arange(size)
    for strategy in np.flatnonzero(possible.any(1))[::-1]:
        others = np.flatnonzero(possible[strategy] & alive)
        others = others[np.argsort(-most[strategy, others], kind="stable")]
        for tried in (others[:1], others[1:]):
            least = np.minimum.reduceat(allowed[strategy] - joined[tried], starts, axis=1).sum(1)
            replacing = tried[saved[strategy, tried] + least >= 0]
            if len(replacing):
                alive[strategy] = False
                instead[instead == strategy] = replacing[0]
                break
    return instead


def _differences_where_best(table: Floats) -> Floats:
    """
    By pair of rows, an upper bound of their least difference: in the columns where the first is best, and the second
    is worst, beside the best row of the column.
    """
    above = table - table.min(0)
    rows = np.arange(len(table))
    best, worst = above.argmin(1), above.argmax(1)
    return np.minimum(table[rows, best][:, None] - table[:, best].T, table[:, worst] - table[rows, worst])


def eliminate(core: Core, node: int) -> bool:
    """
    Leave out a node without usage that has at most two neighbours: it takes its best strategy for each of theirs.

    Not done where the entries of tables would grow by more than `GROWTH`.
    """
    neighbours = sorted(core.tables[node])
    if core.usages[node] or len(neighbours) > 2 or (not neighbours and len(core.costs[node]) == 1):
        return False
    tables = [core.tables[node][other] for other in neighbours]
    costs = core.costs[node]
    if not tables:
        core.constant += float(costs.min())
        core.leave_out(Eliminate(node, (), np.array(costs.argmin()), len(costs)))
        return True
    if len(tables) == 1:
        total = costs[:, None] + tables[0]
        core.costs[neighbours[0]] = core.costs[neighbours[0]] + total.min(0)
        core.leave_out(Eliminate(node, tuple(neighbours), total.argmin(0), len(costs)))
        return True
    rows, columns = (table.shape[1] for table in tables)
    if rows * columns > GROWTH * (tables[0].size + tables[1].size):
        return False
    first, second = (np.ascontiguousarray(table.T) for table in (costs[:, None] + tables[0], tables[1]))
    total = first[:, None] + second
    core.leave_out(Eliminate(node, tuple(neighbours), total.argmin(-1), len(costs)))
    core.connect(neighbours[0], neighbours[1], total.min(-1))
    return True


def absorb(core: Core, node: int) -> bool:
    """
    Leave out a node whose strategy a neighbour determines: its costs, tables and usages become those of the neighbour.

    Not done where the entries of tables would grow by more than `GROWTH`.
    """
    for other, table in core.tables[node].items():
        allowed = np.isfinite(table)
        if allowed.sum(0).max() > 1:
            continue
        image = allowed.argmax(0)
        rest = {third: theirs for third, theirs in core.tables[node].items() if third != other}
        before = table.size + sum(theirs.size for theirs in rest.values())
        if sum(len(image) * theirs.shape[1] for theirs in rest.values()) > GROWTH * before:
            continue
        costs = core.costs[node][image] + table[image, np.arange(len(image))]
        usages = core.usages[node]
        core.leave_out(Absorb(node, (other,), image, len(table)))
        core.costs[other] = core.costs[other] + costs
        for third, theirs in rest.items():
            core.connect(other, third, theirs[image])
        for span, usage in usages.items():
            core.use(other, span, usage[image])
        return True
    return False


REDUCTIONS: Sequence[Callable[[Core, int], bool]] = (
    drop_unsupported,
    drop_separable,
    absorb,
    eliminate,
    drop_oversized,
    drop_dominated,
)


def reduce(core: Core, nodes: Iterable[int] | None = None) -> None:
    """
    Apply all reductions to nodes, and again where something near has changed, in a few rounds.

    Without `nodes`, to all. Raises `Infeasible`. Then each strategy that is left goes with one of each neighbour.
    """
    drop_slack_points(core)
    reductions, rounds = REDUCTIONS, 6 if core.entries < 500_000 else 3
    dirty = range(len(core.costs)) if nodes is None else sorted(nodes)
    while dirty:
        changed = set[int]()
        for node in dirty:
            near = (node, *core.tables[node])
            for reduction in reductions:
                if reduction(core, node):
                    changed.update(near)
                if len(core.costs[node]) == 1 and not core.tables[node]:
                    break
        rounds -= 1
        if rounds > 0:
            drop_slack_points(core)
        else:
            reductions = (drop_unsupported, drop_separable)
        dirty = sorted(changed) if rounds else range(len(core.costs))
    core.dominance.clear()
    for node, costs in enumerate(core.costs):
        least = costs.min()
        core.constant += float(least)
        core.costs[node] = costs - least


def drop_slack_points(core: Core) -> None:
    """Drop the usage at points of time where no choice exceeds the limit, and then usages that count at none."""
    change = np.zeros(len(core.room) + 1)
    for usages in core.usages:
        for (start, end), usage in usages.items():
            most = usage.max()
            change[start] += most
            change[end] -= most
    if (core.room < 0).any():
        raise Infeasible
    tight = change.cumsum()[:-1] > core.room
    if tight.all():
        return
    place = np.concatenate([[0], tight.cumsum()])
    core.room, core.points = core.room[tight], core.points[tight]
    for node, usages in enumerate(core.usages):
        core.usages[node] = {}
        for (start, end), usage in usages.items():
            if place[start] < place[end]:
                core.use(node, (int(place[start]), int(place[end])), usage)
