"""`--explain` of kernels: which emitter was chosen, and why passes left operations as they are."""

import argparse

from xdsl.ir import Operation

from xshardy.dialects.hlo import FusionOp
from xshardy.emitters import explain
from xshardy.gpus.targets import device_of
from xshardy.rewriting.reasons import Reasons
from xshardy.tools.output import print_diagnostic


def add_explain_option(parser: argparse.ArgumentParser) -> None:
    """Add `--explain`."""
    parser.add_argument(
        "--explain",
        action="store_true",
        help="say on standard error which emitter was chosen, and why loads, stores and loops stay as they are",
    )


def print_choice(name: str, fusion: FusionOp, target: str) -> None:
    """`gelu: the loop emitter: no result has a hero ...`, and why not those before it."""
    choice = explain(fusion, device_of(target))
    hero = "" if choice.hero is None else f", hero{_name(choice.hero)} ({choice.hero.name})"
    print_diagnostic(f"{name}: the {choice.emitter} emitter{hero}: {choice.reason}")
    for emitter, reason in choice.refused.items():
        print_diagnostic(f"{name}: not the {emitter} emitter: {reason}")


def print_reasons(name: str, reasons: Reasons) -> None:
    """`gelu: xla-gpu-optimize-loops: scf.for: not unrolled: ...`, a line for each reason."""
    for line in reasons.lines():
        print_diagnostic(f"{name}: {line}")


def _name(op: Operation) -> str:
    """` %name`; nothing if the first result has no name."""
    name = op.results[0].name_hint
    return "" if name is None else f" %{name}"
