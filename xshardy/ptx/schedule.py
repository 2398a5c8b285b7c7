"""
The order in which threads advance: those at the lowest instruction first, so that branches reconverge.

Threads at one instruction form a group, a mask over all threads that are executed together. A group runs until its flow
of control changes or it meets another group. Threads at a barrier wait until all of their block are there. Threads that
test an `mbarrier` in vain wait until no others can continue, so that those can complete it. So do threads in a loop
that waits for others: its state repeats, or it has accessed memory that others change very often. The other threads of
their warps stay behind them, to reconverge, until nobody else can continue.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.control import Barrier, Branch, Control, Guarded, Switch
from xshardy.ptx.decode import Step, chosen
from xshardy.ptx.faults import FaultKind, Faults
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import Memory
from xshardy.ptx.program import Program
from xshardy.ptx.selections import SelectedLanes
from xshardy.ptx.waiting import Wait

Counter = Callable[[Lanes, int, int], None]
"""Is told that the active threads execute the instructions from the first number up to the second."""

REPEATED = 1024
"""After so many iterations of a loop, its state is compared with earlier ones."""
POLLED = 32
"""The same of a loop with accesses by which threads communicate."""
LONG = 4
"""After so many iterations of a loop, threads that are still in it may become lanes of their own."""
COMMUNICATING = frozenset(("volatile", "relaxed", "acquire", "mmio", "atom"))
"""Words of opcodes."""


@dataclass(slots=True)
class Waiting:
    """A group at a barrier."""

    barrier: Barrier
    at: int
    """The number of the barrier's instruction."""
    number: int
    count: int
    """How many threads of a block the barrier waits for."""
    mask: Array


@dataclass(slots=True, eq=False)
class Testing:
    """A group at a `Wait` for which it is not complete."""

    wait: Wait
    at: int
    mask: Array


@dataclass(slots=True, eq=False)
class Spinning:
    """A group that has left a loop for a while, so that others continue."""

    at: int
    """The number of the backward branch."""
    target: int
    mask: Array
    changes: int
    """How many changes of memory there were."""
    advances: bool
    """Whether the state of the loop changes by itself."""


class Schedule:
    """The groups of the threads of some blocks, which may wait for other blocks of the grid, unless they are all."""

    def __init__(
        self,
        program: Program,
        lanes: Lanes,
        memory: Memory,
        faults: Faults,
        max_iterations: int,
        *,
        is_whole_grid: bool = True,
        ranks: Array | None = None,
        selects: bool = False,
    ):
        self.program, self.lanes, self.memory, self.faults = program, lanes, memory, faults
        self.is_whole_grid = is_whole_grid
        self.ranks = ranks
        """Of each thread, all of a warp the same: those of a lower rank go first. None for no difference."""
        self.selects = selects
        """Whether the threads of a long loop may become lanes of their own."""
        self.counters: list[Counter] = []
        self.ready: dict[int, Array] = {0: np.ones(lanes.shape, np.bool_)}
        """By the number of the next instruction."""
        self.waiting: list[Waiting] = []
        self.testing: list[Testing] = []
        self.failed: dict[int, int] = {}
        """For each instruction at which threads waited in vain, how many changes of memory there were then."""
        self.spinning: list[Spinning] = []
        self.held: dict[int, Array] = {}
        """Threads of warps of which others spin, by the number of their next instruction."""
        self.mates = np.zeros(lanes.shape, np.bool_)
        """All threads of these warps."""
        self.meeting: dict[int, Array] = {}
        """Threads that wait for others of their warps, by the number of an instruction of whole warps."""
        self.parted: int | None = None
        """The number of such an instruction that is executed though some do not come."""
        self.exited = lanes.exited
        self.loops = Loops(self, max_iterations)

    def run(self) -> bool:
        """
        Run all threads until none can continue. Whether all have ended.

        Raises `FaultError` for a fault unless faults are collected.
        """
        while True:
            while (group := self._next()) is not None:
                self._run_group(*group)
            if self.testing and self._test():
                continue
            if self.waiting and self._release():
                continue
            if self._wake([each for each in self.spinning if each.changes != self.memory.changes]):
                continue
            if not (self.testing and self._give_up()) and not self._let_held_go():
                return not (self.testing or self.waiting or self.spinning or self.meeting)

    def resume(self) -> bool:
        """Run on behind `run`, after other blocks. Whether all have ended."""
        self._wake([each for each in self.spinning if each.advances])
        return self.run()

    @property
    def advances(self) -> bool:
        """Whether there are loops whose state changes by itself."""
        return any(each.advances for each in self.spinning)

    def report(self) -> bool:
        """Report the faults of threads that wait for what nobody does. Whether there may be others then."""
        spinning, self.spinning = self.spinning, []
        for each in spinning:
            self.loops.end(each.at, each.mask, "repeats a loop without any change")
        if not spinning and self.meeting:
            self.parted = min(self.meeting)
            self._add(self.parted, self.meeting.pop(self.parted))
            return True
        if not spinning and self.testing:
            self._report_testing()
        elif not spinning and self.waiting:
            self._report_barrier()
        return bool(spinning)

    def _next(self) -> tuple[int, Array] | None:
        """The next threads to continue, with their instruction: the lowest of the first rank. None for none."""
        at = self._lowest()
        if at is None or self.ranks is None:
            return None if at is None else (at, self.ready.pop(at))
        first = min(int(self.ranks[mask].min()) for mask in self.ready.values())
        at = min(at for at, mask in self.ready.items() if (self.ranks[mask] == first).any())
        mask = self.ready.pop(at)
        going = mask & (self.ranks == first)
        if (left := mask & ~going).any():
            self.ready[at] = left
        return at, going

    def _lowest(self) -> int | None:
        """The lowest instruction at which threads continue of whose warps none spin; None if there is none."""
        while self.spinning and self.ready:
            at = min(self.ready)
            held, free = self.ready[at] & self.mates, self.ready[at] & ~self.mates
            if held.any():
                self.held[at] = self.held.get(at, False) | held
                self.ready[at] = free
            if free.any():
                return at
            del self.ready[at]
        return min(self.ready, default=None)

    def has_others(self) -> bool:
        """Whether there are threads beside the active ones that may continue."""
        others = self.ready or self.held or self.waiting or self.testing or self.spinning or self.meeting
        return bool(others) or not self.is_whole_grid

    def settle(self) -> None:
        """Have the registers of all threads as they are now."""

    def spin(self, at: int, target: int, mask: Array, *, advances: bool) -> None:
        """Let the threads of a loop wait for others."""
        self.spinning.append(Spinning(at, target, mask, self.memory.changes, advances))
        self.mates |= self._of_warps(mask)

    def _of_warps(self, mask: Array) -> Array:
        """All threads of the warps of which one is in the mask."""
        lanes = self.lanes
        warps = lanes.warps(mask)
        return lanes.of_warps(np.repeat(warps.any(axis=-1, keepdims=True), warps.shape[-1], axis=-1))

    def _wake(self, woken: list[Spinning]) -> bool:
        """Let groups go on with their loops. Whether there are any."""
        if not woken:
            return False
        self.spinning = [each for each in self.spinning if each not in woken]
        self._let_held_go()
        for each in self.spinning:
            self.mates |= self._of_warps(each.mask)
        for each in woken:
            self.loops.look_again(each)
            self._add(each.target, each.mask)
        return True

    def _let_held_go(self) -> bool:
        """Let threads go on though others of their warps spin. Whether there are any."""
        held, self.held, self.mates = self.held, {}, np.zeros_like(self.mates)
        for at, mask in held.items():
            self._add(at, mask)
        return bool(held)

    def _run_group(self, at: int, mask: Array) -> None:
        """Run threads from an instruction on until they meet others, split, wait or end."""
        lanes, program = self.lanes, self.program
        limit = self._limit(at)
        lanes.mask = None if mask.all() else mask
        while True:
            if at in program.loops and self._runs_selected(at):
                return
            end = min(program.ends[at], limit)
            if lanes.mask is not None and at == program.meetings[at]:
                if not self._meet(at):
                    return
                end = at + 1
            elif lanes.mask is not None:
                end = min(end, program.meetings[at])
            program.runs.execute(lanes, at, end, -1 if lanes.mask is None else self._kept())
            if end > at:
                self._count(at, end)
                at = end
            if at == limit:
                self._add(at, lanes.active_mask())
                return
            if at != program.ends[at]:
                continue
            self._count(at, at + 1)
            following = self._after(program.steps[at], at)
            if following is None:
                return
            at = following
            if at >= limit:
                self._add(at, lanes.active_mask())
                return

    def _limit(self, at: int) -> int:
        """The first instruction behind `at` where a group has to wait for others, or that there is none."""
        return min((other for other in self.ready if other > at), default=len(self.program.steps))

    def _kept(self) -> int:
        """The registers that threads need which are not active: a set with a bit for each slot."""
        if not self.selects:
            return -1
        live, kept = self.program.live, 0
        waiting = (each.at for each in [*self.waiting, *self.testing])
        for at in (*self.ready, *waiting, *(each.target for each in self.spinning), *self.held, *self.meeting):
            kept |= live[at]
        return kept

    def _runs_selected(self, at: int) -> bool:
        """Run the active threads as lanes of their own if they are few and in a long loop. Whether they are."""
        lanes = self.lanes
        if lanes.mask is None or not self.selects or self.spinning or not self._is_sparse(at, lanes.mask):
            return False
        others, ranks = self.ready.items(), self.ranks
        if ranks is not None:
            first = ranks[lanes.mask][0]
            others = [(other, mask) for other, mask in others if (ranks[mask] == first).any()]
        end = min((other for other, _ in others), default=len(self.program.steps))
        SelectedSchedule(self, at, lanes.mask).run_until(end)
        return True

    def _is_sparse(self, head: int, mask: Array) -> bool:
        """Whether the threads of a mask should be lanes of their own in the loop that begins at `head`."""
        return self.loops.iterations_of(head) >= LONG

    def _meet(self, at: int) -> bool:
        """Whether threads execute an instruction of whole warps: those for whom others still may come wait for them."""
        lanes, absent_lanes = self.lanes, self.program.absent_lanes[at]
        assert absent_lanes is not None
        there = lanes.active_mask() | self.meeting.pop(at, False)
        if self.parted != at:
            waiting = there & (absent_lanes(lanes, there | self.exited) != 0)
            if waiting.any():
                self.meeting[at] = waiting
                there = there & ~waiting
        self.parted = None
        lanes.mask = None if there.all() else there
        return bool(there.any())

    def _after(self, control: Step | Control, at: int) -> int | None:
        """The instruction at which all active threads continue after `control`; None if they wait, ended or split."""
        if isinstance(control, Barrier):
            return at + 1 if self._passes(control, at) else None
        if isinstance(control, Wait | Guarded):
            return at + 1 if self._is_complete(control, at) else None
        if isinstance(control, Switch):
            self._switch(control, at)
            return None
        assert isinstance(control, Branch)
        return self._branch(control, at)

    def _count(self, first: int, end: int) -> None:
        for counter in self.counters:
            counter(self.lanes, first, end)

    def _add(self, at: int, mask: Array) -> None:
        """Let the threads of `mask` continue at an instruction, or end behind the last one."""
        if at == len(self.program.steps):
            np.logical_or(self.exited, mask, out=self.exited)
        elif at in self.ready:
            self.ready[at] = self.ready[at] | mask
        else:
            self.ready[at] = mask

    def _branch(self, branch: Branch, at: int) -> int | None:
        """The instruction at which all active threads continue; None if they have ended or split."""
        lanes = self.lanes
        if branch.slot is None:
            taken, rest = lanes.active_mask(), None
        else:
            taken = chosen(lanes, branch.slot, branch.negated)
            count = np.count_nonzero(taken)
            if not count:
                self.loops.leave(at)
                return at + 1
            rest = ~taken if lanes.mask is None else lanes.mask & ~taken
            if count == taken.size or not rest.any():
                rest = None
        target = len(self.program.steps) if branch.target is None else branch.target
        if target <= at and not self.loops.goes_on(self, at, target, taken):
            if rest is not None:
                self._add(at + 1, rest)
            return None
        if rest is None and branch.target is not None:
            return target
        if taken.any():
            self._add(target, taken)
        if rest is not None:
            self._add(at + 1, rest)
        return None

    def _switch(self, switch: Switch, at: int) -> None:
        """Let the active threads continue at the targets that they name; that there is none such is a fault."""
        lanes = self.lanes
        numbers, left = np.broadcast_to(lanes.registers[switch.slot], lanes.shape), lanes.active_mask()
        for number, target in enumerate(switch.targets):
            taken = left & (numbers == number)
            if taken.any():
                left = left & ~taken
                if target > at or self.loops.goes_on(self, at, target, taken):
                    self._add(target, taken)
        if left.any():
            line, count = self.program.instructions[at].line, len(switch.targets)
            self.faults.report(
                FaultKind.OUT_OF_BOUNDS,
                line,
                lanes,
                left,
                lambda thread: f"branches to target {int(numbers.flat[thread])} of {count}",
            )
            self.exited |= left

    def _passes(self, barrier: Barrier, at: int) -> bool:
        """Whether the active threads continue at once; otherwise they wait, or for `bar.arrive` are noted."""
        lanes, threads = self.lanes, self.lanes.shape[1]
        numbers = barrier.number(lanes)
        counts = np.array([[threads]]) if barrier.count is None else barrier.count(lanes)
        if lanes.mask is None and not self.waiting and numbers.size == counts.size == 1 and counts.flat[0] == threads:
            if lanes.clocks is not None:
                lanes.clocks.meet(lanes.active_mask(), lanes.active_mask())
            if barrier.finish is not None:
                barrier.finish(lanes)
            return True
        mask = lanes.active_mask()
        for number in np.unique(lanes.active(numbers)):
            group = mask & (numbers == number)
            count = int(np.broadcast_to(counts, lanes.shape)[group][0])
            self.waiting.append(Waiting(barrier, at, int(number), count, group))
            if lanes.clocks is not None:
                self._check_aligned(self.waiting[-1])
        return not barrier.waits

    def _check_aligned(self, waiting: Waiting) -> None:
        """Report threads of one warp that wait at different barriers, of which all must execute one together."""
        for other in self.waiting:
            apart = other.at != waiting.at and other.barrier.waits and waiting.barrier.waits
            if not apart or not (other.barrier.is_aligned and waiting.barrier.is_aligned):
                continue
            wrong = waiting.mask & self._of_warps(other.mask)
            if wrong.any():
                line, where = (self.program.instructions[each.at].line for each in (waiting, other))
                what = f"waits at an aligned barrier, and other threads of its warp at that of line {where}"
                self.faults.report(FaultKind.DIVERGENT_BARRIER, line, self.lanes, wrong, lambda _, what=what: what)

    def _is_complete(self, control: Wait | Guarded, at: int) -> bool:
        """Whether all active threads continue at once; otherwise those for which it is not complete wait."""
        lanes = self.lanes
        mask, wait, rest = lanes.mask, control, None
        if isinstance(control, Guarded):
            wait, guarded = control.wait, chosen(lanes, control.slot, control.negated)
            rest = lanes.active_mask() & ~guarded
            lanes.mask = guarded
            if not guarded.any():
                lanes.mask = mask
                return True
        assert isinstance(wait, Wait)
        everyone, done = lanes.active_mask(), wait.test(lanes)
        left = everyone & ~done
        if not left.any():
            wait.finish(lanes, True)
            lanes.mask = mask
            return True
        if done.any():
            lanes.mask = done
            wait.finish(lanes, True)
        self.testing.append(Testing(wait, at, left))
        going = done if rest is None else done | rest
        if going.any():
            self._add(at + 1, going)
        return False

    def _test(self) -> bool:
        """Let threads continue that wait for what is complete now. Whether there are any."""
        found = False
        for testing in self.testing:
            self.lanes.mask = testing.mask
            done = testing.wait.test(self.lanes)
            if done.any():
                found = True
                self.lanes.mask = done
                testing.wait.finish(self.lanes, True)
                self._add(testing.at + 1, done)
                testing.mask = testing.mask & ~done
        self.testing = [testing for testing in self.testing if testing.mask.any()]
        return found

    def _give_up(self) -> bool:
        """
        Let threads continue though what they wait for is not complete: nobody can complete it before. False if they
        have done so before and nothing has changed since then.
        """
        going = [t for t in self.testing if t.wait.may_fail and self.failed.get(t.at) != self.memory.changes]
        for testing in going:
            self.failed[testing.at] = self.memory.changes
            self.lanes.mask = testing.mask
            testing.wait.finish(self.lanes, False)
            self._add(testing.at + 1, testing.mask)
        self.testing = [testing for testing in self.testing if testing not in going]
        return bool(going)

    def _report_testing(self) -> None:
        """The faults of threads that wait for what is never complete."""
        for testing in self.testing:
            line, describe = self.program.instructions[testing.at].line, partial(self.described, testing)
            self.faults.report(FaultKind.NEVER_COMPLETE, line, self.lanes, testing.mask, describe)

    def described(self, testing: Testing, thread: int) -> str:
        """What a thread of `testing` waits for, whichever threads are active."""
        lanes = self.lanes
        before, lanes.mask = lanes.mask, testing.mask
        text = testing.wait.describe(lanes, thread)
        lanes.mask = before
        return text

    def _release(self) -> bool:
        """Let blocks continue all of whose threads wait at a barrier. Whether there are any."""
        released = False
        for number in {waiting.number for waiting in self.waiting}:
            together = [waiting for waiting in self.waiting if waiting.number == number]
            arrived = np.sum([waiting.mask.sum(axis=1) for waiting in together], axis=0)
            expected = np.max([np.where(waiting.mask.any(axis=1), waiting.count, 0) for waiting in together], axis=0)
            complete = ((arrived == expected) & (arrived > 0))[:, None]
            if not complete.any():
                continue
            released = True
            leaving = np.zeros_like(self.exited)
            for waiting in together:
                leaving |= waiting.mask & complete
            if self.lanes.clocks is not None:
                going = np.zeros_like(leaving)
                for waiting in together:
                    going |= waiting.mask & complete if waiting.barrier.waits else False
                self.lanes.clocks.meet(leaving, going)
            for waiting in together:
                self.lanes.mask = leaving
                if waiting.barrier.finish is not None:
                    waiting.barrier.finish(self.lanes)
                if waiting.barrier.waits and (waiting.mask & complete).any():
                    self._add(waiting.at + 1, waiting.mask & complete)
                waiting.mask = waiting.mask & ~complete
            self.waiting = [waiting for waiting in self.waiting if waiting.mask.any()]
        return released

    def _report_barrier(self) -> None:
        """The fault of threads that wait at a barrier for others that do not come."""
        waiting = self.waiting[0]
        line = self.program.instructions[waiting.at].line
        block = int(np.argmax(waiting.mask.any(axis=1)))

        def describe(thread: int) -> str:
            lanes = self.lanes
            others = [w for w in self.waiting if w is not waiting and w.mask[block].any()]
            if self.exited[block].any():
                missing = lanes.place(block, int(np.argmax(self.exited[block])))
                return f"waits for {missing}, which has exited"
            if others:
                missing = lanes.place(block, int(np.argmax(others[0].mask[block])))
                return f"waits for {missing}, which waits at line {self.program.instructions[others[0].at].line}"
            arrived = int(waiting.mask[block].sum())
            return f"waits for {waiting.count} threads, of which {arrived} come"

        self.faults.report(FaultKind.DIVERGENT_BARRIER, line, self.lanes, waiting.mask, describe)


class SelectedSchedule(Schedule):
    """The threads of a group as lanes of their own, at instructions that threads execute each for itself."""

    def __init__(self, parent: Schedule, at: int, mask: Array):
        self.selection = SelectedLanes(parent.lanes, mask)
        super().__init__(parent.program, self.selection, parent.memory, parent.faults, 0, selects=True)
        self.parent, self.loops, self.spinning = parent, parent.loops, parent.spinning
        self.ready = {at: np.ones(self.selection.shape, np.bool_)}
        behind = parent.behind if isinstance(parent, SelectedSchedule) else frozenset[int]()
        self.behind = behind | parent.ready.keys()
        """Where others are."""
        self.end = 0
        self.head, self.iterations = at, self.loops.iterations_of(at)

    def run_until(self, end: int) -> None:
        """Run the threads as long as no others are to go first, those at `end`; then give the parent all of them."""
        self.end = min(end, self.parent.end) if isinstance(self.parent, SelectedSchedule) else end
        exchanges = self.program.exchanges
        while self.ready and (at := min(self.ready)) < self.end and at != exchanges[at] and not self.spinning:
            self._run_group(at, self.ready.pop(at))
        live = 0
        for at in self.ready:
            live |= self.program.live[at]
        self.selection.settle(live)
        for at, mask in self.ready.items():
            self.parent._add(at, self.selection.mask_in_base(mask))
        self.parent._add(len(self.program.steps), self.selection.mask_in_base(self.exited))

    def settle(self) -> None:
        self.selection.settle(-1)
        self.parent.settle()

    def has_others(self) -> bool:
        return bool(self.ready) or self.parent.has_others()

    def _limit(self, at: int) -> int:
        return min(super()._limit(at), self.program.exchanges[at], *(other for other in self.behind if other > at))

    def _is_sparse(self, head: int, mask: Array) -> bool:
        is_longer = self.loops.iterations_of(head) >= (2 * self.iterations if head == self.head else LONG)
        return is_longer and 2 * int(np.count_nonzero(mask)) <= mask.size


@dataclass(slots=True)
class _State:
    """What a loop depends on."""

    changes: int
    registers: list[Array]
    mask: Array
    selected: Lanes
    """The lanes that were in the loop, with the registers that they had there."""
    of_selected: Mapping[int, Array]

    def may_be(self, lanes: Lanes, taken: Array) -> bool:
        """Whether the state may be that of `lanes`, of which a mask is in the loop. It is not if their own differs."""
        if lanes is self.selected:
            return all(_are_equal(array, lanes.registers[slot]) for slot, array in self.of_selected.items())
        return np.array_equal(self.mask, lanes.mask_in_whole(taken))


def _are_equal(register: Array, other: Array) -> bool:
    """Whether two registers have the same values; one may have one value for all threads."""
    return register is other or bool((register == other).all())


class Loops:
    """Finds loops that wait for others, or never end: their state repeats, or they have very many iterations."""

    def __init__(self, schedule: Schedule, max_iterations: int):
        self.schedule, self.max_iterations = schedule, max_iterations
        self.iterations: dict[int, int] = {}
        """By the number of the backward branch."""
        self.states: dict[int, _State] = {}
        self._patience: dict[int, int] = {}
        """After how many iterations the state is looked at, by the number of the branch."""

    def leave(self, at: int) -> None:
        """Begin to count anew: no thread has taken the branch."""
        self.iterations.pop(at, None)

    def look_again(self, spinning: Spinning) -> None:
        """Look at the state of a loop soon."""
        if not spinning.advances:
            self.iterations[spinning.at] = self._patience[spinning.at] - 1

    def iterations_of(self, head: int) -> int:
        """How often threads have taken a branch back to the first instruction of a loop."""
        return max(self.iterations.get(branch, 0) for branch in self.schedule.program.loops[head])

    def goes_on(self, now: Schedule, at: int, target: int, taken: Array) -> bool:
        """
        Count an iteration of threads of a schedule. False if they wait for others, or the loop never ends and they end.
        """
        count = self.iterations[at] = self.iterations.get(at, 0) + 1
        if (patience := self._patience.get(at)) is None:
            patience = self._patience[at] = self._patience_of(at, target)
        if count < patience:
            return True
        schedule, changes = self.schedule, self.schedule.memory.changes
        state = self.states.get(at)
        may_repeat = state is not None and state.changes == changes and state.may_be(now.lanes, taken)
        polls_long = patience == POLLED and count % REPEATED == 0 and now.has_others()
        is_kept = count & (count - 1) == 0 or count == patience
        if not (may_repeat or polls_long or is_kept or count > self.max_iterations):
            return True
        now.settle()
        lanes, taken = schedule.lanes, now.lanes.mask_in_whole(taken)
        repeats = (
            state is not None
            and may_repeat
            and np.array_equal(state.mask, taken)
            and all(map(_are_equal, state.registers, lanes.registers))
        )
        if count > self.max_iterations:
            self.end(at, taken, f"repeats a loop more than {count - 1} times")
            return False
        if repeats or polls_long:
            schedule.spin(at, target, taken, advances=not repeats)
            return False
        if is_kept:
            self.states[at] = _State(changes, [*lanes.registers], taken, now.lanes, now.lanes.prepared())
        return True

    def _patience_of(self, at: int, target: int) -> int:
        words = (word for i in self.schedule.program.instructions[target:at] for word in i.opcode.split("."))
        return REPEATED if COMMUNICATING.isdisjoint(words) else POLLED

    def end(self, at: int, mask: Array, how: str) -> None:
        """Report a loop that never ends; if faults are collected, its threads end."""
        schedule = self.schedule
        line = schedule.program.instructions[at].line
        schedule.faults.report(FaultKind.ENDLESS, line, schedule.lanes, mask, lambda _: how)
        schedule.exited |= mask
