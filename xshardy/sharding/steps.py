"""
One propagation step through one operation, remembered: models repeat their layers, and layers their shardings.

What a step does depends on the rule of the operation, on the strategy and the directions, and on the shardings of its
tensors. All operations for which the former are the same share a `Steps`, which maps the latter to what changes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from xshardy.sharding.factor_rule import FactorRule
from xshardy.sharding.factors import TensorFactors, project, unproject
from xshardy.sharding.interning import Sharding, ShardingTable
from xshardy.sharding.strategies import STRATEGIES, Direction, Step, Strategy


class Update(NamedTuple):
    """A tensor of an operation gets another sharding."""

    slot: int
    """Which one: operands are counted first, then results."""
    sharding: int
    in_group: int
    """What the other members of its sharding group get: its sharding as the operation sees it."""


class Border(NamedTuple):
    """How the result of an operation is sharded as seen from its operands, and back: an edge may enter a region."""

    inwards: Callable[[Sharding], Sharding]
    outwards: Callable[[Sharding], Sharding]


@dataclass(frozen=True, slots=True, eq=False)
class Signature:
    """What operations share that propagate alike."""

    rule: FactorRule
    is_elementwise: bool = False
    is_conservative: bool = False
    border: Border | None = None
    projections: dict[tuple[int, int], TensorFactors] = field(default_factory=dict[tuple[int, int], TensorFactors])
    """The factor shardings of a tensor, by its slot and the number of its sharding."""


class Projection(NamedTuple):
    """The factor shardings of the operands and of the results of an operation, over the mesh number `mesh`."""

    mesh: int
    operands: list[TensorFactors]
    results: list[TensorFactors]


class Steps(dict[tuple[int, ...], tuple[Update, ...]]):
    """
    What changes, by the numbers of the shardings of the operands and of the results; worked out when first asked for.

    A key may be longer than that: what comes after the results is ignored.
    """

    def __init__(self, signature: Signature, strategy: Strategy, directions: Sequence[Direction], table: ShardingTable):
        super().__init__()
        self.signature = signature
        self._propagate = STRATEGIES[strategy]
        self._table = table
        blocked = signature.rule.blocked
        self._directions = tuple(
            Direction.NONE if factor in blocked else direction for factor, direction in enumerate(directions)
        )

    def __missing__(self, key: tuple[int, ...]) -> tuple[Update, ...]:
        updates = self[key] = tuple(self._updates(key)) if self._may_change(key) else ()
        return updates

    def _may_change(self, key: tuple[int, ...]) -> bool:
        """Whether a step may change something. It does not where all agree already, or where there is no axis to go."""
        rule = self.signature.rule
        if self.signature.border is not None:
            return True  # seen across it all may be different
        if rule.is_uniform and len({*key[: len(rule.operands) + len(rule.results)]}) == 1:
            return False
        return any(map(self._table.has_axes, key))

    def before(self, key: tuple[int, ...]) -> Projection | None:
        """The factor shardings of these tensors; None if they are not over one mesh, or over a single device."""
        rule = self.signature.rule
        count = len(rule.operands)
        mesh = self._table.common_mesh(key[: count + len(rule.results)])
        if mesh is None or self._table.is_maximal(mesh):
            return None
        tensors = [self._projected(slot, key[slot]) for slot in range(count + len(rule.results))]
        return Projection(mesh, tensors[:count], tensors[count:])

    def after(self, key: tuple[int, ...]) -> Projection | None:
        """What the strategy makes of `before(key)`."""
        projection = self.before(key)
        if projection is None:
            return None
        signature = self.signature
        self._propagate(
            Step(
                signature.rule,
                projection.operands,
                projection.results,
                self._directions,
                self._table.axis_sizes(projection.mesh),
                signature.is_elementwise,
                signature.is_conservative,
            )
        )
        return projection

    def _projected(self, slot: int, number: int) -> TensorFactors:
        """The factor shardings of an operand or result."""
        known = self.signature.projections
        if (slot, number) not in known:
            rule = self.signature.rule
            is_operand = slot < len(rule.operands)
            mapping = rule.operands[slot] if is_operand else rule.results[slot - len(rule.operands)]
            sharding = self._table.sharding(number) if is_operand else self._seen(number)
            known[slot, number] = project(mapping, sharding, rule.sizes)
        return known[slot, number].copy()

    def _seen(self, number: int) -> Sharding | None:
        """The sharding of a result as the operation sees it."""
        sharding, border = self._table.sharding(number), self.signature.border
        return sharding if sharding is None or border is None else border.inwards(sharding)

    def _updates(self, key: tuple[int, ...]) -> Sequence[Update]:
        projection = self.after(key)
        if projection is None:
            return ()
        rule, border = self.signature.rule, self.signature.border
        updates: list[Update] = []
        tensors = zip((*rule.operands, *rule.results), projection.operands + projection.results, strict=True)
        for slot, (mapping, tensor) in enumerate(tensors):
            if not tensor.is_expanded:
                continue
            is_result = slot >= len(rule.operands)
            old = self._seen(key[slot]) if is_result else self._table.sharding(key[slot])
            new = unproject(tensor, mapping, rule.sizes, projection.mesh)
            # Not all that was found can be written: a factor may lie behind one that is not fully sharded.
            if new == old or (old is None and new.is_empty):
                continue
            seen = self._table.number(new)
            stored = self._table.number(border.outwards(new)) if is_result and border is not None else seen
            updates.append(Update(slot, stored, seen))
        return updates
