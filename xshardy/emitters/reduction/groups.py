"""
Groups of results of a fusion with reductions: results that read a common value are computed by the same blocks.

Source: XLA:GPU's grouping of disjoint reductions; row XGPU-07.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.nullary import ConstantOp
from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.dialects.stablehlo.shape import BroadcastInDimOp


@dataclass(frozen=True, slots=True)
class ReductionGroup:
    """
    Results computed by the same threads: `reduced` from the results of `heroes`, `side_outputs` from the inputs of
    these.

    Both hold numbers of results of the fusion.
    """

    heroes: tuple[ReduceOp, ...]
    reduced: tuple[int, ...]
    side_outputs: tuple[int, ...]


def reduction_groups(roots: Sequence[SSAValue], heroes: Sequence[ReduceOp | None]) -> tuple[ReductionGroup, ...]:
    """
    The groups of `roots`, ordered by their first results.

    Side outputs have no hero (None); all of them are in one group. Results of one variadic reduction are in one group.
    """
    parent = list(range(len(roots)))

    def find(i: int) -> int:
        while parent[i] != i:
            parent[i] = i = parent[parent[i]]
        return i

    def join(numbers: Sequence[int]) -> None:
        for other in numbers[1:]:
            first, second = sorted((find(numbers[0]), find(other)))
            parent[second] = first

    join([i for i, hero in enumerate(heroes) if hero is None])
    for value, readers in _readers(roots).items():
        if _is_recomputed(value):
            # A repeatable value is recomputed per reduction: it joins side outputs to its first reduction only.
            first = next((i for i in readers if heroes[i] is not None), None)
            readers = [i for i in readers if heroes[i] is None or i == first]
        join(readers)
    members: dict[int, list[int]] = {}
    for i in range(len(roots)):
        members.setdefault(find(i), []).append(i)
    return tuple(_group(numbers, heroes) for numbers in members.values())


def _readers(roots: Sequence[SSAValue]) -> dict[SSAValue | Operation, list[int]]:
    """For each operation and parameter, the numbers of the roots that depend on it."""
    readers: dict[SSAValue | Operation, list[int]] = {}
    for i, root in enumerate(roots):
        pending, seen = [root], set[SSAValue | Operation]()
        while pending:
            value = pending.pop()
            owner = _source(value)
            if owner in seen:
                continue
            seen.add(owner)
            readers.setdefault(owner, []).append(i)
            if isinstance(owner, Operation):
                pending += owner.operands
    return readers


def _source(value: SSAValue) -> SSAValue | Operation:
    """The operation that computes `value`; `value` itself if it is a parameter."""
    return value.owner if isinstance(value.owner, Operation) else value


def _is_recomputed(value: SSAValue | Operation) -> bool:
    """Whether the value is a scalar, a constant, or a broadcast of one."""
    if isinstance(value, BroadcastInDimOp):
        value = _source(value.operand)
    return isinstance(value, ConstantOp) or not shape_of(value.results[0] if isinstance(value, Operation) else value)


def _group(numbers: Sequence[int], heroes: Sequence[ReduceOp | None]) -> ReductionGroup:
    own = [hero for i in numbers if (hero := heroes[i]) is not None]
    return ReductionGroup(
        tuple(dict.fromkeys(own)),
        tuple(i for i in numbers if heroes[i] is not None),
        tuple(i for i in numbers if heroes[i] is None),
    )
