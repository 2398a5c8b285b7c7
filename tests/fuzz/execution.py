"""Runs one input in this process and says what is wrong with the tools, if anything."""

import io
import re
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch

from inputs import Input
from xdsl.ir import Attribute
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException

import xshardy
from xshardy.tools import cli, diagnostics
from xshardy.tools.xshardy_opt import XshardyOptMain, _guarded

MOST_SECONDS = 10  # of processor time
MOST_BYTES = 1 << 30
PACKAGE = Path(xshardy.__file__).parent
NUMBER = re.compile(r"\d+")


class Hang(BaseException):
    """An input has used `MOST_SECONDS`."""


class InvalidResult(Exception):
    """A pass made a module that does not verify, for a reason."""

    def __init__(self, pass_name: str, reason: VerifyException):
        super().__init__(f"{pass_name}: {reason}")
        self.pass_name, self.reason = pass_name, reason


class RoundTripError(Exception):
    """A module that was printed is not read back, or is printed differently then."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong: `place` is the same for inputs that fail at the same place for the same cause."""

    place: str
    details: str


class Main(XshardyOptMain):
    """`xshardy-opt` that tells an invalid module made by a pass from one that was given."""

    failures: list[Exception]

    def _between_passes(self, before: ModulePass | None, module: Any, after: ModulePass | None) -> None:
        try:
            super()._between_passes(before, module, after)
        except VerifyException as error:
            if before is None:
                raise
            raise InvalidResult(before.name, error) from error

    def _unexpected_text(self, error: Exception) -> str:
        self.failures.append(error)
        return super()._unexpected_text(error)


def _xshardy_opt(arguments: Sequence[str], text: str, failures: list[Exception]) -> int:
    verify_attributes = Attribute.__post_init__  # xDSL replaces it permanently under --disable-verify

    def execute() -> int:
        main = Main(args=arguments, stdin=io.BytesIO(text.encode(errors="surrogatepass")))
        main.failures = failures
        return main.execute()

    try:
        return _guarded(execute)
    finally:
        Attribute.__post_init__ = verify_attributes


def _xshardy(arguments: Sequence[str], text: str, failures: list[Exception]) -> int:
    def record(error: Exception) -> str:
        failures.append(error)
        return str(error)

    stdin = io.TextIOWrapper(io.BytesIO(text.encode(errors="surrogatepass")))
    with patch.object(diagnostics, "internal_error", record), patch.object(sys, "stdin", stdin):
        return cli.main(arguments)


TOOLS: Mapping[str, Callable[[Sequence[str], str, list[Exception]], int]] = {
    "xshardy-opt": _xshardy_opt,
    "xshardy": _xshardy,
}


def run(given: Input) -> Finding | None:
    """Run `given`, and read back what it prints. The finding if that fails in a way that is no fault of the input."""
    try:
        status, out = _run_tool(given.tool, given.arguments, given.text)
        if status == 0 and given.arguments == ():
            _check_round_trip(out)
    except (Exception, Hang) as error:
        if isinstance(error, InvalidResult) and given.is_out_of_order:
            return None
        return Finding(_place(error), "".join(traceback.format_exception(error, limit=-12)))
    return None


def _run_tool(tool: str, arguments: Sequence[str], text: str) -> tuple[int, str]:
    """The exit status and the output. Raises the exception that the tool calls an internal error."""
    failures: list[Exception] = []
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), limited_time():
        try:
            status = TOOLS[tool](arguments, text, failures)
        except SystemExit as exit:
            status = exit.code if isinstance(exit.code, int) else 1
    if failures:
        raise failures[0]
    if "nested too deeply" in err.getvalue():
        raise RecursionError(f"{tool} {' '.join(arguments)}")
    return status, out.getvalue()


def _check_round_trip(printed: str) -> None:
    status, again = _run_tool("xshardy-opt", (), printed)
    if status:
        raise RoundTripError(f"not read back:\n{printed}")
    if again != printed:
        raise RoundTripError(f"printed differently:\n{printed}\nthen:\n{again}")


def _place(error: BaseException) -> str:
    """The kind of exception and the innermost function of ours; for a round trip, the first line that differs."""
    if isinstance(error, InvalidResult):
        return f"InvalidResult of {error.pass_name}: {_place(error.reason)}"
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(PACKAGE)] or frames
    if not ours:
        return f"{type(error).__name__} {error}"
    if isinstance(error, RoundTripError):
        return f"RoundTripError {_first_difference(str(error))}"
    where = Path(ours[-1].filename)
    shown = where.relative_to(PACKAGE) if where.is_relative_to(PACKAGE) else where.name
    return f"{type(error).__name__} {shown}:{ours[-1].name}"


def _first_difference(message: str) -> str:
    before, _, after = message.partition("\nthen:\n")
    pairs = zip(before.splitlines()[1:], after.splitlines(), strict=False)
    return next((f"{NUMBER.sub('N', a.strip())}" for a, b in pairs if a != b), message.splitlines()[0])


@contextmanager
def limited_time() -> Generator[None]:
    """Raise `Hang` in the body when it has used `MOST_SECONDS` of processor time."""

    def interrupt(_: int, __: FrameType | None) -> None:
        raise Hang(f"more than {MOST_SECONDS} s")

    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def limit_memory() -> None:
    """Let this process take `MOST_BYTES` more than it has. Beyond, Python raises `MemoryError`."""
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MOST_BYTES, resource.RLIM_INFINITY))


def warm_up(examples: Iterable[Input]) -> None:
    """Import what inputs need, and look for installed dialects and passes: once, and not in every child process."""
    Universe.get_multiverse = staticmethod(cache(Universe.get_multiverse))
    for example in examples:
        run(example)
