"""
What changed in a module since a pass last ran on it, so that a pass that a pipeline repeats looks at that only.

The runner of a pipeline (`PassRunner`) gives one `ChangeLog` to the driver of every pass, which records the operations
that patterns insert, move, modify and erase. An `IncrementalPass` is given what was recorded since it last ran.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriterListener

from xshardy.ir.fields import operands_of, users_of
from xshardy.rewriting.driver import UseListener
from xshardy.rewriting.pattern_pass import PatternPass
from xshardy.rewriting.walk import operations_from, operations_in


@final
class ChangeLog(UseListener):
    """The operations that rewrites changed and the values that lost a use, in the order of the changes."""

    def __init__(self) -> None:
        super().__init__()
        self.inserted: list[Operation] = []
        """Operations that were inserted or moved, with all that is in them."""
        self.changed: list[Operation] = []
        inserted, changed, less_used = self.inserted, self.changed, self.less_used

        def record_removal(op: Operation) -> None:
            for inner in operations_from(op) if op.regions else (op,):
                less_used.extend(operands_of(inner))
            if (parent := op.parent_op()) is not None:
                changed.append(parent)

        def record_replacement(op: Operation, values: Sequence[SSAValue | None]) -> None:
            for result in op.results:
                changed.extend(users_of(result))

        # Functions and not methods: the log and its operations are freed as soon as nothing refers to the log.
        self.operation_insertion_handler.append(inserted.append)
        self.operation_modification_handler.append(changed.append)
        self.operation_removal_handler.append(record_removal)
        self.operation_replacement_handler.append(record_replacement)

    @property
    def position(self) -> "Position":
        """How much is recorded so far."""
        return Position(len(self.inserted), len(self.changed), len(self.less_used))


@dataclass(frozen=True, slots=True)
class Position:
    """The lengths of the lists of a `ChangeLog` at one time."""

    inserted: int
    changed: int
    less_used: int


@final
class Changes(Container[Operation]):
    """
    The operations that changed since a pass last ran, and those around them.

    `before` has the operations that were there when the pass ended, and their blocks: one that is not there is new, and
    one in another block was moved, also where nothing recorded it.
    """

    def __init__(self, log: ChangeLog, since: Position, before: Mapping[Operation, Block | None]):
        self._before = before
        changed = {*log.changed[since.changed :]}
        for op in log.inserted[since.inserted :]:
            changed.update(operations_from(op) if op.regions else (op,))
        self._around = around = changed.copy()
        for op in changed:
            around.update([operand.op for operand in operands_of(op) if type(operand) is OpResult])
            for result in op.results:
                around.update(users_of(result))
            if (parent := op.parent_op()) is not None:
                around.add(parent)
        for value in log.less_used[since.less_used :]:
            if type(value) is OpResult:
                around.add(value.op)
            if (user := value.get_user_of_unique_use()) is not None:
                around.add(user)

    def __contains__(self, op: object) -> bool:
        return isinstance(op, Operation) and (op in self._around or self._before.get(op) is not op.parent)


class IncrementalPass(PatternPass):
    """A pass that can restrict itself to what changed since it last ran on a module."""

    may_do_more: ClassVar[bool] = False
    """Whether the pass may find something to do in what it just made."""

    def rewrite_changes(self, module: ModuleOp, changes: Changes, listener: PatternRewriterListener | None) -> None:
        """
        Run on `changes` only.

        The result is that of `rewrite_module`. The pass left the module, in which `changes` were made since, without
        anything to do for itself.
        """
        raise NotImplementedError


@dataclass(slots=True)
class LastRun:
    """What is known of the last run of a pass."""

    position: Position
    """What was recorded when it started, if it has to look at its own changes again; else when it ended."""
    places: Mapping[Operation, Block | None]
    """The operations that it left, and the block that each was in."""


@final
class PassRunner:
    """Runs passes on one module, one after another, and repeated ones on what changed since they last ran."""

    def __init__(self, ctx: Context, module: ModuleOp):
        self._ctx = ctx
        self._module = module
        self._log = ChangeLog()
        self._last_runs: dict[ModulePass, LastRun] = {}

    def run(self, step: ModulePass) -> None:
        """Run `step`."""
        if isinstance(step, IncrementalPass):
            self._run_incrementally(step)
        elif isinstance(step, PatternPass) and step.records_changes:
            before = self._log.position
            if step.rewrite_module(self._module, self._log) and self._log.position == before:
                self._last_runs.clear()
        else:
            step.apply(self._ctx, self._module)
            self._last_runs.clear()  # anything may have changed

    def _run_incrementally(self, step: IncrementalPass) -> None:
        start = self._log.position
        last = self._last_runs.get(step)
        if last is None:
            step.rewrite_module(self._module, self._log)
        elif last.position == start:
            return
        else:
            changes = Changes(self._log, last.position, last.places)
            step.rewrite_changes(self._module, changes, self._log)
        end = start if step.may_do_more else self._log.position
        self._last_runs[step] = LastRun(end, {op: op.parent for op in operations_in(self._module)})
