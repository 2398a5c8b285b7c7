"""
What a device sends and computes by scope: by JAX's names of the modules and functions around operations, in which the
layers of a model are one.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xshardy.planning.collectives import Collective
from xshardy.planning.origins import visible
from xshardy.planning.plan import Plan
from xshardy.planning.timeline import TimedOperation, timeline
from xshardy.planning.topology import Topology

Scope = tuple[str, ...]

_TRANSFORMED = re.compile(r"(\w+)\((.*)\)$")
"""What JAX writes for a transformation of a function: `transpose(jvp(Block_0))`."""
_NUMBER = re.compile(r"\d+$")
BACKWARD = "backward"
"""The last part of the scope of a gradient."""


@dataclass(frozen=True, slots=True)
class ScopeSum:
    """What a device does for the operations of a scope, in one execution of the program."""

    scope: str
    """`Block_*/attn/query`, `Block_*/attn/query (backward)`; empty for operations without a name."""
    layers: int
    """The number of scopes that differ by the numbers of layers only."""
    sent: int
    """In bytes."""
    collectives: int
    flops: int
    """Of matrix products."""
    seconds: float
    """The estimated time."""


def sums_by_scope(plan: Plan, topology: Topology) -> Sequence[ScopeSum]:
    """The sums of all scopes, those that take the longest first. Raises `TopologyError`."""
    by_scope = defaultdict[Scope, list[TimedOperation]](list)
    for timed in timeline(plan, topology):
        by_scope[_scope_of(timed, plan)].append(timed)
    around = {scope[:length] for scope in by_scope for length in range(1, len(scope))}
    folded = defaultdict[Scope, list[Scope]](list)
    for scope in by_scope:
        folded[_folded(scope, around)].append(scope)
    sums = [_sum(scope, [by_scope[each] for each in layers]) for scope, layers in folded.items()]
    return sorted(sums, key=lambda each: -each.seconds)


def _scope_of(timed: TimedOperation, plan: Plan) -> Scope:
    """The names around an operation, without transformations; a gradient has one more part."""
    stack = () if timed.operation is None else plan.names.name_stack(visible(timed.operation))[:-1]
    names: list[str] = []
    is_backward = False
    for part in stack:
        while (transformed := _TRANSFORMED.match(part)) is not None:
            is_backward = is_backward or transformed[1] == "transpose"
            part = transformed[2]
        names += [part] if part else []
    return (*names, BACKWARD) if is_backward else tuple(names)


def _folded(scope: Scope, around: Collection[Scope]) -> Scope:
    """`scope` with `*` for the number of each part that has scopes inside: layers have, and the products in one not."""
    return tuple(_NUMBER.sub("*", part) if scope[: index + 1] in around else part for index, part in enumerate(scope))


def _sum(scope: Scope, layers: Sequence[Sequence[TimedOperation]]) -> ScopeSum:
    operations = [timed for layer in layers for timed in layer]
    collectives = [timed.what for timed in operations if isinstance(timed.what, Collective)]
    work = [timed.what for timed in operations if not isinstance(timed.what, Collective)]
    is_backward = scope[-1:] == (BACKWARD,)
    name = "/".join(scope[:-1] if is_backward else scope)
    return ScopeSum(
        f"{name} ({BACKWARD})".lstrip() if is_backward else name,
        len(layers),
        sum(each.total for each in collectives),
        sum(each.count for each in collectives),
        sum(each.products * each.count for each in work),
        sum(timed.seconds for timed in operations),
    )
