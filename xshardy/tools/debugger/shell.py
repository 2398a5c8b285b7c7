"""The commands of `xshardy ptx step`."""

from cmd import Cmd
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from xshardy.display.folding import fold, fold_mask
from xshardy.gpus.sizes import WARP_SIZE
from xshardy.numerics.element_types import Array
from xshardy.ptx.faults import Fault
from xshardy.ptx.machine import Options
from xshardy.ptx.schedule import Schedule
from xshardy.ptx.stepping import SteppedSchedule, groups
from xshardy.tools.debugger.kernel_state import Elements, KernelState
from xshardy.tools.output import printable
from xshardy.tools.placed_faults import fault_text
from xshardy.tools.usage import UsageError

AROUND = 4
"""Lines that are listed above and below the one at hand."""


class _QuitError(Exception):
    """The debugger ends, and the kernel with it."""


class Shell(Cmd):
    """Runs a kernel, and takes commands at each stop: from a terminal, or those of `commands` and standard input."""

    def __init__(self, state: KernelState, commands: Sequence[str] | None, *, is_interactive: bool):
        super().__init__()
        self.state, self.is_interactive = state, is_interactive
        self.use_rawinput, self.prompt = is_interactive, "(ptx) " if is_interactive else ""
        self.cmdqueue = [] if commands is None else [*commands, "quit"]
        self.breakpoints: set[int] = set()
        """The numbers of the instructions to stop at."""
        self.watches: list[tuple[str, Elements, Array]] = []
        """Each with its text and the values that it had."""
        self.focus: tuple[int, int | None] | None = None
        """The block, and the warp in it, whose threads are followed; None for all."""
        self.stops: Callable[[int], bool] = lambda at: True
        """Whether to stop before an instruction without a breakpoint, too."""
        self.faults: Sequence[Fault] = ()
        """Those that have been printed."""
        self.has_ended = False

    def run(self, grid: Sequence[int], block: Sequence[int], options: Options) -> None:
        """Run the grid, with all checks, and stop before its first instruction, and behind its end."""
        options.schedule = partial(SteppedSchedule, self._before)
        options.checks = options.collects_faults = True
        try:
            found = self.state.machine.run(grid, block, self.state.arguments, options)
            self.has_ended = True
            self._print_new(found)
            self._say(f"{self.state.machine.entry.name} has ended")
            self.cmdloop()
        except _QuitError:
            pass

    def _before(self, schedule: Schedule, at: int) -> None:
        last, before = self.state.at, self.state.stopped
        self.state.stopped, self.state.at = schedule, at
        if schedule is not before:  # other blocks, with shared memory of their own
            self.watches = [self._watched(text) for text, *_ in self.watches]
        stops = self._print_new([*schedule.memory.faults.found.values()]) or self._print_changes(last)
        if self._is_followed(schedule) and (at in self.breakpoints or self.stops(at)):
            stops = True
        if stops:
            self._print_place()
            self.cmdloop()

    def _is_followed(self, schedule: Schedule) -> bool:
        return self.focus is None or bool((schedule.lanes.active_mask() & self._focused()).any())

    def _print_new(self, faults: Sequence[Fault]) -> bool:
        """Print the faults that are new. Whether there are any."""
        new = faults[len(self.faults) :]
        for fault in new:
            self._say(fault_text(self.state.source.place(fault.line), fault))
        self.faults = faults
        return bool(new)

    def _print_changes(self, last: int) -> bool:
        """Print what the `last` instruction has changed of what is watched. Whether there is any."""
        changed = False
        for number, (text, elements, before) in enumerate(self.watches):
            now = elements.read()
            if now.tobytes() != before.tobytes():
                changed = True
                self.watches[number] = text, elements, now
                self._say(f"{text} was {_listed(before)}, and is {_listed(now)} behind {self.state.shown(last)}")
        return changed

    def _focused(self) -> Array:
        """The threads that are followed."""
        lanes = self.state.schedule.lanes
        if self.focus is None:
            return np.ones(lanes.shape, np.bool_)
        block, warp = self.focus
        warps = np.arange(lanes.shape[1]) // WARP_SIZE
        return (lanes.blocks == block)[:, None] & (warps == warp if warp is not None else warps >= 0)

    def _print_place(self) -> None:
        self._say(self.state.shown(self.state.at))
        self._say(f"    {fold_mask(self.state.schedule.lanes.active_mask(), self.state.blocks)}")

    def _say(self, text: str) -> None:
        self.stdout.write(printable(text) + "\n")

    def precmd(self, line: str) -> str:
        """Print a command that nobody types."""
        if not self.is_interactive and line != "EOF":
            self._say(f"> {line.strip()}")
        return line

    def onecmd(self, line: str) -> bool:
        """Execute a command. A wrong one is an error, but in a terminal it is only told."""
        try:
            return bool(super().onecmd(line))
        except UsageError as error:
            if not self.is_interactive:
                raise
            self._say(str(error))
            return False

    def emptyline(self) -> bool:
        """Repeat nothing."""
        return False

    def default(self, line: str) -> None:
        """Refuse a command."""
        raise UsageError(f"error: there is no command '{line.split()[0]}': `help` lists them")

    def do_help(self, arg: str) -> None:
        """help: list the commands"""
        for name in dict.fromkeys(self.get_names()):
            if name.startswith("do_") and (text := getattr(self, name).__doc__):
                self._say(f"  {text}")

    def do_break(self, arg: str) -> None:
        """break LINE, break FILE:LINE: stop before a line of the file, of the source behind `.loc`, or of `ptx`"""
        place, numbers = self.state.instructions_at(arg)
        self.breakpoints |= numbers
        self._say(f"breakpoint at {place}: {self.state.text(place).strip()}")

    def do_watch(self, arg: str) -> None:
        """watch NAME[INDEX] [TYPE]: stop behind what changes elements of a parameter's array, or of `shared` memory"""
        self.watches.append(self._watched(arg))

    def _watched(self, text: str) -> tuple[str, Elements, Array]:
        elements = self.state.elements(text)
        return text, elements, elements.read()

    def do_delete(self, arg: str) -> None:
        """delete: remove breakpoints and watchpoints"""
        self.breakpoints.clear()
        self.watches.clear()

    def do_until(self, arg: str) -> bool:
        """until LINE, until FILE:LINE: run to a line"""
        _, numbers = self.state.instructions_at(arg)
        return self._go(numbers.__contains__)

    def do_step(self, arg: str) -> bool:
        """step [N]: run to the next line, N times"""
        count, places = _number(arg or "1"), [self.state.place(self.state.at)]

        def stops(at: int) -> bool:
            if (place := self.state.place(at)) != places[-1]:
                places.append(place)
            return len(places) > count

        return self._go(stops)

    def do_stepi(self, arg: str) -> bool:
        """stepi [N]: run N instructions"""
        left = iter(range(_number(arg or "1") - 1))
        return self._go(lambda at: next(left, None) is None)

    def do_continue(self, arg: str) -> bool:
        """continue: run to the next breakpoint, watchpoint or fault, or to the end"""
        return self._go(lambda at: False)

    def _go(self, stops: Callable[[int], bool]) -> bool:
        if self.has_ended:
            raise UsageError(f"error: {self.state.machine.entry.name} has ended")
        self.stops = stops
        return True

    def do_focus(self, arg: str) -> None:
        """focus [BLOCK [WARP]]: follow a block or warp only: stop for its threads, and print theirs; or all again"""
        block, warp, *_ = [*map(_number, arg.split()), None, None]
        self.focus = None if block is None else (block, warp)

    def do_print(self, arg: str) -> None:
        """print [REGISTER [TYPE]]: a register of each thread, as f32 or the like; or those of the next instruction"""
        name, _, type = arg.partition(" ")
        for register in [name] if name else self.state.registers_at_hand():
            values = self.state.register(register, type.strip())
            for line in fold(values, self._focused(), "thread", self.state.blocks):
                self._say(f"{register}: {line}")

    def do_memory(self, arg: str) -> None:
        """memory NAME[FIRST:END] [TYPE]: elements of the array of a parameter, or of `shared` memory"""
        name, first, read, is_shared = self.state.elements(arg)
        values = read()
        mask = np.ones(values.shape, np.bool_)
        if is_shared:
            mask &= self._focused().any(axis=1, keepdims=True)
        for line in fold(values, mask, "element", self.state.blocks if is_shared else None, first):
            self._say(f"{name}: {line}")

    def do_where(self, arg: str) -> None:
        """where: what the threads do or wait for, and where"""
        if not self.has_ended:
            self._print_group(self.state.schedule.lanes.active_mask(), "run", self.state.at)
        for group in groups(self.state.schedule):
            self._print_group(group.mask, group.doing, group.at)

    def _print_group(self, mask: Array, doing: str, at: int | None) -> None:
        if (mask & self._focused()).any():
            threads = fold_mask(mask & self._focused(), self.state.blocks)
            self._say(f"{threads}: {doing}")
            if at is not None:
                self._say(f"    {self.state.shown(at)}")

    def do_list(self, arg: str) -> None:
        """list: the lines around the next one"""
        place = self.state.place(self.state.at)
        for number in range(max(place.line - AROUND, 1), place.line + AROUND + 1):
            mark = "->" if number == place.line else "  "
            self._say(f"{mark}{number:5} {self.state.text(place._replace(line=number))}")

    def do_quit(self, arg: str) -> bool:
        """quit: end"""
        raise _QuitError

    def do_EOF(self, arg: str) -> bool:
        raise _QuitError


def _listed(values: Array) -> str:
    return ", ".join(map(str, values.reshape(-1)))


def _number(text: str) -> int:
    if not text.strip().isdecimal():
        raise UsageError(f"error: '{text}' is no number")
    return int(text)
