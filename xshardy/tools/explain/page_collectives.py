"""The table of a page for collectives: what a device sends, and why."""

from collections.abc import Iterator
from typing import NamedTuple

from xshardy.planning.collectives import Collective
from xshardy.planning.origins import visible
from xshardy.planning.plan import Plan


class CollectiveRow(NamedTuple):
    """Collectives that are alike; see `Collective`."""

    kind: str
    axes: str
    bytes: int
    """What a device sends in one execution."""
    times: int
    is_exact: bool
    tensor: str
    operation: str
    line: int
    """The line of the operation that needs it; 0 if it is unknown."""
    cause: str


def collective_rows(plan: Plan) -> Iterator[CollectiveRow]:
    """The rows of all collectives of `plan`, in the order of the program."""
    for collective in plan.collectives:
        yield CollectiveRow(
            collective.kind,
            ", ".join(collective.axes),
            collective.bytes,
            collective.count,
            collective.is_exact,
            collective.tensor,
            collective.operation,
            _line(plan, collective),
            collective.cause.text,
        )


def _line(plan: Plan, collective: Collective) -> int:
    movement = collective.cause.movement
    return (plan.names.line(visible(movement.operation)) if movement is not None else None) or 0
