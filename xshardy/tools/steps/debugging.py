"""`--debug-patterns`: what each pattern does, as text on standard error."""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xshardy.rewriting import PatternPass
from xshardy.rewriting.observer import observed
from xshardy.syntax.close_names import did_you_mean
from xshardy.tools.output import printable
from xshardy.tools.pipelines import single_passes
from xshardy.tools.steps.listing import listing
from xshardy.tools.steps.recorder import Recorder

HINT = ": leave the name out to see those that apply"


def check_name(name: str, passes: Iterable[ModulePass]) -> None:
    """Raise `ValueError` if `name` is neither empty, nor one of `passes`, nor a pattern of one of them."""
    names = dict.fromkeys(_names(passes))
    if name and name not in names:
        raise ValueError(f"these passes have no pattern '{name}'{did_you_mean(name, names, HINT)}")


def _names(passes: Iterable[ModulePass]) -> Iterator[str]:
    for each in single_passes(passes):
        yield each.name
        if isinstance(each, PatternPass):
            for step in each.steps(ModuleOp([])):
                yield from (type(pattern).__name__ for pattern in step.patterns)


@contextmanager
def patterns_shown(module: ModuleOp, name: str, running: Callable[[], str | None]) -> Generator[Recorder]:
    """Record the passes that run on `module`, and print the steps of `name` in the end, also after a failure."""
    recorder = Recorder(module)
    try:
        with observed(module, recorder):
            yield recorder
    finally:
        if (interrupted := running()) is not None:
            recorder.stop_pass(interrupted)
        sys.stderr.write(printable("".join(f"{line}\n" for line in listing(recorder, name)), keep="\n"))
