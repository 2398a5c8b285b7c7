"""
Which results of a fusion with reductions are made by the same blocks: those that read something in common.

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
    Results that the same threads make: `reduced` from the results of `heroes`, `side_outputs` from what these read.

    Both hold numbers of results of the fusion.
    """

    heroes: tuple[ReduceOp, ...]
    reduced: tuple[int, ...]
    side_outputs: tuple[int, ...]


def reduction_groups(roots: Sequence[SSAValue], heroes: Sequence[ReduceOp | None]) -> tuple[ReductionGroup, ...]:
    """
    The groups of `roots`, in the order of their first results. The hero of a root that is a side output is None.

    All side outputs are in one group. Results of a tuple-valued reduction, too, are in one.
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
            # Made again for every reduction that reads it: it joins side outputs to the first of these, no others.
            first = next((i for i in readers if heroes[i] is not None), None)
            readers = [i for i in readers if heroes[i] is None or i == first]
        join(readers)
    members: dict[int, list[int]] = {}
    for i in range(len(roots)):
        members.setdefault(find(i), []).append(i)
    return tuple(_group(numbers, heroes) for numbers in members.values())


def _readers(roots: Sequence[SSAValue]) -> dict[SSAValue | Operation, list[int]]:
    """For each operation, and each parameter, the numbers of the roots that it is read for."""
    readers: dict[SSAValue | Operation, list[int]] = {}
    for i, root in enumerate(roots):
        pending, seen = [root], set[SSAValue | Operation]()
        while pending:
            value = pending.pop()
            owner = value.owner if isinstance(value.owner, Operation) else value
            if owner in seen:
                continue
            seen.add(owner)
            readers.setdefault(owner, []).append(i)
            if isinstance(owner, Operation):
                pending += owner.operands
    return readers


def _is_recomputed(value: SSAValue | Operation) -> bool:
    """Whether it is a scalar or a constant, broadcast or not."""
    if isinstance(value, BroadcastInDimOp):
        return not shape_of(value.operand) or isinstance(value.operand.owner, ConstantOp)
    if isinstance(value, Operation):
        return not shape_of(value.results[0])
    return not shape_of(value)


def _group(numbers: Sequence[int], heroes: Sequence[ReduceOp | None]) -> ReductionGroup:
    own = [hero for i in numbers if (hero := heroes[i]) is not None]
    return ReductionGroup(
        tuple(dict.fromkeys(own)),
        tuple(i for i in numbers if heroes[i] is not None),
        tuple(i for i in numbers if heroes[i] is None),
    )
