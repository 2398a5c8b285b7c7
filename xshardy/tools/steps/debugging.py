"""`--debug-patterns`: what each pattern does, as text on standard error."""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import RewritePattern

from xshardy.rewriting import PatternOfPatterns, PatternPass
from xshardy.rewriting.observer import observed
from xshardy.syntax.close_names import did_you_mean
from xshardy.tools.output import printable
from xshardy.tools.pipelines import single_passes
from xshardy.tools.steps.listing import listing
from xshardy.tools.steps.recorder import Recorder
from xshardy.universe import installed_dialects

HINT = ": leave the name out to see those that apply"


def check_name(name: str, passes: Iterable[ModulePass]) -> None:
    """Raise `ValueError` if `name` is neither empty, nor one of `passes`, nor a pattern of one of them."""
    singles = [*single_passes(passes)]
    patterns = [*_patterns(singles)]
    names = dict.fromkeys([*(each.name for each in singles), *map(_name, patterns)])
    if name and name not in names:
        names.update(dict.fromkeys(map(_name, _brought_along(patterns))))
        if name not in names:
            raise ValueError(f"these passes have no pattern '{name}'{did_you_mean(name, names, HINT)}")


def _name(pattern: RewritePattern) -> str:
    return type(pattern).__name__


def _patterns(passes: Iterable[ModulePass]) -> Iterator[RewritePattern]:
    for each in passes:
        if isinstance(each, PatternPass):
            for step in each.steps(ModuleOp([])):
                yield from step.patterns


def _brought_along(patterns: Iterable[RewritePattern]) -> Iterator[RewritePattern]:
    """Those that some of `patterns` stand for. All dialects are loaded, for a name that is not known otherwise."""
    standing = [pattern for pattern in patterns if isinstance(pattern, PatternOfPatterns)]
    if standing:
        for make in installed_dialects().values():
            for op_type in make().operations:
                for pattern in standing:
                    yield from pattern.patterns_of_class(op_type)


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
