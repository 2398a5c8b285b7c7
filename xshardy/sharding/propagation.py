"""
The propagation engine: a worklist over the operations of a `Program`, which runs until no sharding changes.

The results are upstream's, including where they depend on the order of visits: operations are visited in text order,
and after a change its dependents are visited next, the last one enqueued first. An operation is visited only if it is
dirty: a sharding of its tensors, or what it may propagate, has changed since it was last visited without effect.
Source: Shardy's docs, "Sharding propagation"; the order is that of MLIR's greedy rewrite driver.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

from xshardy.sharding.priorities import ANY_ROUND, ROUNDS, OpKind, by_factor_type, directions
from xshardy.sharding.program import NO_VALUE, Dead, OpClass, Program
from xshardy.sharding.steps import MemoKey, Signature, Steps, Update
from xshardy.sharding.strategies import Direction, Strategy

PADDING = (NO_VALUE, NO_VALUE)
"""Appended to the tensors of an operation that has one only, so that `itemgetter` gives a tuple for it too."""

Observer = Callable[[int, Steps, MemoKey], None]
"""Called for each step with updates: the operation (`~i` for return `i`), its steps, and the memo key of the step."""


class Engine:
    """Propagates shardings through one program, and calls `observe` for each step with updates."""

    def __init__(self, program: Program, observe: Observer | None = None):
        self._program = program
        self._observe = observe
        self._steps: dict[tuple[Signature, Strategy, tuple[Direction, ...]], Steps] = {}
        self._active: dict[Strategy, list[Steps | None]] = {}
        """By strategy and operation, its steps in the current round; None where nothing may propagate."""
        self._entered: dict[Strategy, int] = {}
        """By strategy, the round that it entered last."""
        self._allowed: dict[tuple[Strategy, OpClass], _Allowed] = {}
        """By strategy and class, the steps in the current round."""
        self._dirty: dict[Strategy, bytearray] = {}
        """By strategy, a flag for each operation: whether a visit may change something."""
        self._enqueued = bytearray(len(program.tensors))
        """A flag for each operation: whether it is on the worklist of the current sweep."""
        self._removed: set[int] = set()
        """The dead operations."""
        self._classes: dict[OpKind, list[OpClass]] = {}
        """The classes of each kind; operations of one kind may propagate in the same directions in a round."""
        for op_class in dict.fromkeys(program.classes):
            if op_class is not None:
                self._classes.setdefault(op_class.kind, []).append(op_class)
        self._memo_key_of = [
            itemgetter(*(tensors if len(tensors) > 1 else (*tensors, *PADDING))) for tensors in program.tensors
        ]
        """By operation, a function from the shardings of all values to the memo key of its step."""

    def run(self, strategies: Sequence[Strategy], *, by_op_priority: bool) -> None:
        """Run each strategy to a fixpoint, in order; with `by_op_priority`, do so in each round of op priorities."""
        for round_ in range(ROUNDS) if by_op_priority else (ANY_ROUND,):
            for strategy in strategies:
                self._enter_round(round_, strategy)
                self._propagate_returns(strategy)
                self._sweep(strategy)
                self._propagate_returns(strategy)

    def set_sharding(self, value: int, sharding: int) -> Sequence[int]:
        """Set the sharding of `value` and mark its dependents dirty. Returns the operations to enqueue."""
        program = self._program
        if value in program.siblings:
            for sibling in program.set_sharding(value, sharding):
                self._mark_dependents(sibling)
        else:
            program.shardings[value] = sharding
        return self._mark_dependents(value)

    def _mark_dependents(self, value: int) -> Sequence[int]:
        """Mark the dependents of `value` dirty. Returns the operations to enqueue."""
        to_enqueue, to_mark = self._program.uses.dependents(value)
        for dirty in self._dirty.values():
            for op in to_mark:
                dirty[op] = 1
        return to_enqueue

    # Rounds

    def _enter_round(self, round_: int, strategy: Strategy) -> None:
        """Activate the steps of a round. Operations whose new steps have updates become dirty."""
        if strategy not in self._active:
            self._active[strategy] = [None] * len(self._program.tensors)
            self._dirty[strategy] = bytearray(len(self._program.tensors))
        before = self._entered.get(strategy)
        self._entered[strategy] = round_
        for kind, classes in self._classes.items():
            if before is None or any(
                by_factor_type(kind, before, alone) != by_factor_type(kind, round_, alone) for alone in (False, True)
            ):
                for op_class in classes:
                    self._activate(op_class, round_, strategy)
        dirty = self._dirty[strategy]
        for op in self._program.unused:
            dirty[op] = 1

    def _activate(self, op_class: OpClass, round_: int, strategy: Strategy) -> None:
        """Activate the steps of a round for each operation of a class."""
        allowed = _Allowed(
            self._steps_of(op_class, strategy, round_, is_single_use=True),
            self._steps_of(op_class, strategy, round_, is_single_use=False),
        )
        known = self._allowed.get((strategy, op_class), _Allowed(None, None))
        if known.single_use is allowed.single_use and known.other is allowed.other:
            return
        self._allowed[strategy, op_class] = allowed
        active, dirty, memo_key_of = self._active[strategy], self._dirty[strategy], self._memo_key_of
        shardings, is_single_use = self._program.shardings, self._program.uses.is_single_use
        removed = self._removed
        for op in [op for op in op_class.members if op not in removed] if removed else op_class.members:
            steps = allowed.single_use
            if steps is not allowed.other and not is_single_use(op):
                steps = allowed.other
            if steps is not active[op]:
                active[op] = steps
                if steps is not None and steps[memo_key_of[op](shardings)]:
                    dirty[op] = 1

    def _steps_of(self, op_class: OpClass, strategy: Strategy, round_: int, *, is_single_use: bool) -> Steps | None:
        """The steps of operations of a class in a round; None if no factor may propagate."""
        signature = op_class.signature
        if op_class.direction is not None:
            allowed = (op_class.direction,) * len(signature.rule.sizes)
        else:
            allowed = directions(op_class.kind, signature.rule, round_, is_single_use=is_single_use)
        return self._shared_steps(signature, strategy, allowed) if any(allowed) else None

    def _shared_steps(self, signature: Signature, strategy: Strategy, directions: tuple[Direction, ...]) -> Steps:
        """The steps of this signature and these directions, which share their memo."""
        key = signature, strategy, directions
        if (steps := self._steps.get(key)) is None:
            steps = self._steps[key] = Steps(key, self._program.table)
        return steps

    # Propagation

    def _propagate_returns(self, strategy: Strategy) -> None:
        """Propagate between the operands of the main function's return and its results. Enqueues no dependents."""
        program = self._program
        shardings = program.shardings
        for index, (returned, result, signature) in enumerate(program.returns):
            steps = self._shared_steps(signature, strategy, (Direction.BOTH,) * len(signature.rule.sizes))
            key = shardings[returned], shardings[result]
            updates = steps[key]
            if updates and self._observe is not None:
                self._observe(~index, steps, key)
            for update in updates:
                if update.tensor == 1:
                    shardings[result] = update.sharding
                elif returned != NO_VALUE:
                    self.set_sharding(returned, update.sharding)
                    for member in program.groups.get(returned, ()):
                        if member != returned:
                            self.set_sharding(member, update.group_sharding)

    def _sweep(self, strategy: Strategy) -> None:
        """
        Visit dirty operations in text order, and after each change its dependents, until the worklist is empty.

        As in MLIR's driver, dependents after the cursor keep their place in text order; those before it are stacked.
        """
        active, dirty, enqueued = self._active[strategy], self._dirty[strategy], self._enqueued
        shardings, memo_key_of, unused = self._program.shardings, self._memo_key_of, self._program.unused
        stack: list[int] = []
        cursor = -1
        while True:
            if stack:
                op = stack.pop()
                enqueued[op] = 0
            elif (cursor := dirty.find(1, cursor + 1)) >= 0:
                op = cursor
            else:
                return
            if unused and op in unused:
                unused.discard(op)
                if (dead := self._program.uses.remove_if_dead(op)) is not None:
                    self._after_removal(dead, stack, cursor)
                    continue
            if not dirty[op]:
                continue
            dirty[op] = 0
            steps = active[op]
            if steps is None:
                continue
            key = memo_key_of[op](shardings)
            if updates := steps[key]:
                if self._observe is not None:
                    self._observe(op, steps, key)
                self._apply(op, updates, stack, cursor)

    def _apply(self, op: int, updates: Iterable[Update], stack: list[int], cursor: int) -> None:
        """Set the shardings of tensors of `op`, and enqueue the dependents."""
        program = self._program
        for tensor, sharding, group_sharding in updates:
            value = program.tensors[op][tensor]
            if value == NO_VALUE:
                continue
            self._enqueue(op, self.set_sharding(value, sharding), stack, cursor)
            if value in program.groups:
                for member in program.groups[value]:
                    if member != value:
                        self._enqueue(op, self.set_sharding(member, group_sharding), stack, cursor)

    def _enqueue(self, op: int, dependents: Sequence[int], stack: list[int], cursor: int) -> None:
        """Stack the dependents of a change by `op` that are before the cursor; `op` itself only as `~op`."""
        enqueued = self._enqueued
        for other in dependents:
            if other < 0:
                other = ~other
            elif other == op:
                continue
            if other <= cursor and not enqueued[other]:
                enqueued[other] = 1
                stack.append(other)

    def _after_removal(self, dead: Dead, stack: list[int], cursor: int) -> None:
        """Deactivate removed operations, switch operations that became single-use, and enqueue candidates."""
        for op in dead.removed:
            self._removed.add(op)
            for strategy, active in self._active.items():
                active[op], self._dirty[strategy][op] = None, 0
        for op in dead.now_single_use:
            op_class = self._program.classes[op]
            for strategy, active in self._active.items():
                if op_class is not None and (allowed := self._allowed.get((strategy, op_class))) is not None:
                    active[op] = allowed.single_use
                    self._dirty[strategy][op] = 1
        for op in dead.candidates:
            self._program.unused.add(op)
            if op <= cursor and not self._enqueued[op]:
                self._enqueued[op] = 1
                stack.append(op)


class _Allowed(NamedTuple):
    """The steps of operations of a class in a round, by whether their operands have other uses."""

    single_use: Steps | None
    other: Steps | None
