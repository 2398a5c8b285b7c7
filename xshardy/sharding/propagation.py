"""
The propagation engine: shardings flow through operations until nothing changes any more.

It works on a `Program`, in which values, operations and shardings are integers. Its results are upstream's, including
where they depend on the order: operations are visited in the order of the text, and when a sharding changes, whatever
reads it or made it is visited next, the last one notified first. An operation is visited again only if a sharding of
its tensors has changed, or what it may propagate.
Source: Shardy's docs, "Sharding propagation"; the order is that of MLIR's greedy rewrite driver.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple, Protocol

from xshardy.sharding.interning import NO_SHARDING, ShardingTable
from xshardy.sharding.priorities import ANY_ROUND, ROUNDS, OpKind, by_factor_type, directions
from xshardy.sharding.steps import Signature, Steps, Update
from xshardy.sharding.strategies import Direction, Strategy

NO_VALUE = 0
"""The number of a value that cannot be sharded."""

PADDING = (NO_VALUE, NO_VALUE)
"""What is put behind the value of an operation that has a single tensor, so that its key is a tuple too."""


class Erased(NamedTuple):
    """What follows from erasing a dead operation."""

    notified: Sequence[int]
    """The operations to be visited next, the last one first: they may be dead too."""
    now_single_use: Sequence[int]
    """The operations none of whose operands has another use any more."""
    gone: Sequence[int]
    """The operation and all that was inside it."""


class Surroundings(Protocol):
    """What the engine asks of the program around its integers."""

    def hearers(self, value: int) -> tuple[Sequence[int], Sequence[int]]:
        """
        Whom a change of the sharding of `value` concerns: who is visited again at once, in order, and all of them.

        `~op` stands for an operation around another one that is notified: it is visited even if it made the change.
        All are the operations that have the value among their tensors; some are visited in the next round only.
        """
        ...

    def is_single_use(self, op: int) -> bool:
        """Whether no operand of `op`, scalars aside, has another use."""
        ...

    def erase_if_dead(self, op: int) -> Erased | None:
        """Erase `op` if nothing uses it and it has no effect; None if it stays."""
        ...


@dataclass(eq=False, slots=True)
class OpClass:
    """Operations that may make the same `Steps` in each round."""

    signature: Signature
    kind: OpKind = OpKind.OTHER
    direction: Direction | None = None
    """The direction of all factors in every round, whatever the kind; a propagation barrier has one."""
    has_rule: bool = False
    """Whether the rule of the signature is that of an operation, not of an edge or a barrier."""
    members: list[int] = field(default_factory=list[int])
    """The operations of this class, in the order of the text."""


@dataclass(slots=True)
class Program:
    """
    A module as the engine sees it. Values that are always sharded alike, such as those of an edge, are one value.

    Operations that have results are numbered, in the order of the text.
    """

    table: ShardingTable
    surroundings: Surroundings
    shardings: list[int] = field(default_factory=lambda: [NO_SHARDING])
    """The number of the sharding of each value."""
    slots: list[Sequence[int]] = field(default_factory=list[Sequence[int]])
    """The operands and results of each operation."""
    classes: list[OpClass | None] = field(default_factory=list[OpClass | None])
    """The class of each operation, which has it as a member; None where nothing goes through it."""
    siblings: dict[int, Sequence[tuple[int, int]]] = field(default_factory=dict[int, Sequence[tuple[int, int]]])
    """
    For a result of an operation that has several all of these, with their ranks: where one gets a sharding, the others
    have an open one at least.
    """
    groups: dict[int, Sequence[int]] = field(default_factory=dict[int, Sequence[int]])
    """All members of the sharding group of a value."""
    returns: list[tuple[int, int, Signature]] = field(default_factory=list[tuple[int, int, Signature]])
    """Each value that the main function returns, the result that it becomes, and how it does."""
    unused: set[int] = field(default_factory=set[int])
    """The operations that may be dead."""

    def give(self, value: int, sharding: int) -> Sequence[int]:
        """Give `value` a sharding, and those of its siblings an open one that have none, which are returned."""
        self.shardings[value] = sharding
        if value not in self.siblings:
            return ()
        ranks = self.siblings[value]
        bare = [(sibling, rank) for sibling, rank in ranks if self.shardings[sibling] == NO_SHARDING]
        for sibling, rank in bare:
            self.shardings[sibling] = self.table.open_like(sharding, rank)
        return [sibling for sibling, _ in bare]


Observer = Callable[[int, Steps, tuple[int, ...]], None]
"""Told of each step that changes something: the operation (`~i` for return `i`), the steps, the key of the step."""


class Engine:
    """Propagates through one program. `observe` is told what happens."""

    def __init__(self, program: Program, observe: Observer | None = None):
        self._program = program
        self._observe = observe
        self._steps: dict[tuple[Signature, Strategy, tuple[Direction, ...]], Steps] = {}
        self._active: dict[Strategy, list[Steps | None]] = {}
        """By strategy the steps of each operation in the current round; None where nothing may go."""
        self._entered: dict[Strategy, int] = {}
        """The round that each strategy has entered last."""
        self._allowed: dict[tuple[Strategy, OpClass], _Allowed] = {}
        """What each class may do in the current round."""
        self._dirty: dict[Strategy, bytearray] = {}
        """By strategy the operations that are to be visited: something has changed since a visit changed nothing."""
        self._waiting = bytearray(len(program.slots))
        """Which operations have been notified and not been visited since."""
        self._erased: set[int] = set()
        self._classes: dict[OpKind, list[OpClass]] = {}
        """The classes of each kind, each of which may do the same in a round."""
        for op_class in dict.fromkeys(program.classes):
            if op_class is not None:
                self._classes.setdefault(op_class.kind, []).append(op_class)
        self._keys = [itemgetter(*(slots if len(slots) > 1 else (*slots, *PADDING))) for slots in program.slots]

    def run(self, strategies: Sequence[Strategy], *, by_op_priority: bool) -> None:
        """Propagate until nothing changes, with one strategy after the other, and by op priorities if asked for."""
        for round_ in range(ROUNDS) if by_op_priority else (ANY_ROUND,):
            for strategy in strategies:
                self._enter_round(round_, strategy)
                self._through_returns(strategy)
                self._sweep(strategy)
                self._through_returns(strategy)

    def set_sharding(self, value: int, sharding: int) -> Sequence[int]:
        """Give `value` another sharding. What reads or makes it is visited again. Returns whom to notify of it."""
        program = self._program
        if value in program.siblings:
            for sibling in program.give(value, sharding):
                self._mark_hearers(sibling)
        else:
            program.shardings[value] = sharding
        return self._mark_hearers(value)

    def _mark_hearers(self, value: int) -> Sequence[int]:
        """Let all that the sharding of `value` concerns be visited again. Returns whom to notify."""
        notified, concerned = self._program.surroundings.hearers(value)
        for dirty in self._dirty.values():
            for op in concerned:
                dirty[op] = 1
        return notified

    # Rounds

    def _enter_round(self, round_: int, strategy: Strategy) -> None:
        """Give every operation the steps that it may make in this round; it is visited if new ones change something."""
        if strategy not in self._active:
            self._active[strategy] = [None] * len(self._program.slots)
            self._dirty[strategy] = bytearray(len(self._program.slots))
        before = self._entered.get(strategy)
        self._entered[strategy] = round_
        for kind, classes in self._classes.items():
            if before is None or any(
                by_factor_type(kind, before, alone) != by_factor_type(kind, round_, alone) for alone in (False, True)
            ):
                for op_class in classes:
                    self._allow(op_class, round_, strategy)
        dirty = self._dirty[strategy]
        for op in self._program.unused:
            dirty[op] = 1

    def _allow(self, op_class: OpClass, round_: int, strategy: Strategy) -> None:
        """Give every operation of a class the steps that it may make in a round."""
        allowed = _Allowed(
            self._steps_of(op_class, strategy, round_, is_single_use=True),
            self._steps_of(op_class, strategy, round_, is_single_use=False),
        )
        known = self._allowed.get((strategy, op_class), _Allowed(None, None))
        if known.single_use is allowed.single_use and known.other is allowed.other:
            return
        self._allowed[strategy, op_class] = allowed
        active, dirty, keys = self._active[strategy], self._dirty[strategy], self._keys
        shardings, is_single_use = self._program.shardings, self._program.surroundings.is_single_use
        erased = self._erased
        for op in [op for op in op_class.members if op not in erased] if erased else op_class.members:
            steps = allowed.single_use
            if steps is not allowed.other and not is_single_use(op):
                steps = allowed.other
            if steps is not active[op]:
                active[op] = steps
                if steps is not None and steps[keys[op](shardings)]:
                    dirty[op] = 1

    def _steps_of(self, op_class: OpClass, strategy: Strategy, round_: int, *, is_single_use: bool) -> Steps | None:
        """The steps of operations of a class in a round; None if nothing may go through them."""
        signature = op_class.signature
        if op_class.direction is not None:
            allowed = (op_class.direction,) * len(signature.rule.sizes)
        else:
            allowed = directions(op_class.kind, signature.rule, round_, is_single_use=is_single_use)
        if not any(allowed):
            return None
        key = signature, strategy, allowed
        if (steps := self._steps.get(key)) is None:
            steps = self._steps[key] = Steps(signature, strategy, allowed, self._program.table)
        return steps

    # Propagation

    def _through_returns(self, strategy: Strategy) -> None:
        """Propagate between what the main function returns and its results, without notifying anyone."""
        shardings = self._program.shardings
        for index, (returned, result, signature) in enumerate(self._program.returns):
            directions = (Direction.BOTH,) * len(signature.rule.sizes)
            key = signature, strategy, directions
            if (steps := self._steps.get(key)) is None:
                steps = self._steps[key] = Steps(signature, strategy, directions, self._program.table)
            before = shardings[returned], shardings[result]
            updates = steps[before]
            if updates and self._observe is not None:
                self._observe(~index, steps, before)
            for update in updates:
                if update.slot == 1:
                    shardings[result] = update.sharding
                elif returned != NO_VALUE:
                    self.set_sharding(returned, update.sharding)
                    for member in self._program.groups.get(returned, ()):
                        if member != returned:
                            self.set_sharding(member, update.in_group)

    def _sweep(self, strategy: Strategy) -> None:
        """
        Visit all operations, and after each change those that are notified, until no operation is left.

        As in MLIR's driver, operations that the sweep has still to come to keep their place; the others are stacked.
        """
        active, dirty, waiting = self._active[strategy], self._dirty[strategy], self._waiting
        shardings, keys, unused = self._program.shardings, self._keys, self._program.unused
        stack: list[int] = []
        cursor = -1
        while True:
            if stack:
                op = stack.pop()
                waiting[op] = 0
            elif (cursor := dirty.find(1, cursor + 1)) >= 0:
                op = cursor
            else:
                return
            if unused and op in unused:
                unused.discard(op)
                if (erased := self._program.surroundings.erase_if_dead(op)) is not None:
                    self._after_erasing(erased, stack, cursor)
                    continue
            if not dirty[op]:
                continue
            dirty[op] = 0
            steps = active[op]
            if steps is None:
                continue
            key = keys[op](shardings)
            if updates := steps[key]:
                if self._observe is not None:
                    self._observe(op, steps, key)
                self._apply(op, updates, stack, cursor)

    def _apply(self, op: int, updates: Iterable[Update], stack: list[int], cursor: int) -> None:
        """Change shardings of the values of `op`, and stack what is notified of it."""
        program = self._program
        for slot, sharding, in_group in updates:
            value = program.slots[op][slot]
            if value == NO_VALUE:
                continue
            self._notify(op, self.set_sharding(value, sharding), stack, cursor)
            if value in program.groups:
                for member in program.groups[value]:
                    if member != value:
                        self._notify(op, self.set_sharding(member, in_group), stack, cursor)

    def _notify(self, op: int, notified: Sequence[int], stack: list[int], cursor: int) -> None:
        """Stack what is told of a change that `op` made, and has been passed by the sweep already."""
        waiting = self._waiting
        for other in notified:
            if other < 0:
                other = ~other
            elif other == op:
                continue
            if other <= cursor and not waiting[other]:
                waiting[other] = 1
                stack.append(other)

    def _after_erasing(self, erased: Erased, stack: list[int], cursor: int) -> None:
        """Forget operations, look again at those whose values they used, and stack the latter's makers."""
        for op in erased.gone:
            self._erased.add(op)
            for strategy, active in self._active.items():
                active[op], self._dirty[strategy][op] = None, 0
        for op in erased.now_single_use:
            op_class = self._program.classes[op]
            for strategy, active in self._active.items():
                if op_class is not None and (allowed := self._allowed.get((strategy, op_class))) is not None:
                    active[op] = allowed.single_use
                    self._dirty[strategy][op] = 1
        for op in erased.notified:
            self._program.unused.add(op)
            if op <= cursor and not self._waiting[op]:
                self._waiting[op] = 1
                stack.append(op)


class _Allowed(NamedTuple):
    """The steps of operations of a class, by whether their operands have other uses."""

    single_use: Steps | None
    other: Steps | None
