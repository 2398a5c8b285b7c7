"""The options of `xshardy-opt` that xDSL does not have, and a help that says what the passes do."""

import argparse
import shutil
import sys
from collections.abc import Callable, Collection, Iterable
from typing import Any

from xdsl.utils.arg_spec import parse_spec

from xshardy.affine.spelling import VARIABLE, Spelling
from xshardy.syntax.bytecode import ARTIFACT_VERSION
from xshardy.syntax.close_names import did_you_mean
from xshardy.tools.argument_parser import Parser, VersionAction
from xshardy.tools.pass_listing import listing
from xshardy.tools.pipelines import PASS_ALIASES

DEBUG_PATTERNS = "--debug-patterns"
"""An option whose value is written behind `=` only: the next word is the file."""


class OptParser(Parser):
    """The parser of `xshardy-opt`."""

    available_passes: Collection[str] = ()

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]  # it is generic
        self, args: Iterable[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Passes may be options, as upstream's tools take them: `-PASS`, `--PASS`, and `--PASS=OPTION=VALUE`."""
        given = [*(sys.argv[1:] if args is None else args)]
        passes = [*filter(None, map(self._pass_in, given))]
        words = [f"{word}=" if word == DEBUG_PATTERNS else word for word in given if not self._pass_in(word)]
        found, unknown = super().parse_known_args(words, namespace)
        if passes and found.passes:
            self.error(f"argument -p: write all passes behind it, or each as an option, such as --{passes[0]}")
        found.passes = ",".join(passes) or found.passes
        return found, unknown

    def _pass_in(self, word: str) -> str | None:
        """`PASS` or `PASS{OPTIONS}` for a `word` of the command line that is the option of a pass."""
        name, _, options = word.lstrip("-").partition("=")
        if not word.startswith("-") or not (name in self.available_passes or name in PASS_ALIASES):
            return None
        return f"{name}{{{options}}}" if options else name

    def hint_for(self, option: str) -> str:
        passes = (f"--{name}" for name in (*self.available_passes, *PASS_ALIASES))
        return did_you_mean(option, [*self._option_string_actions, *passes])

    def format_help(self) -> str:
        return f"{super().format_help()}\n{listing(self.available_passes, shutil.get_terminal_size().columns - 2)}"


def adopt(
    parser: argparse.ArgumentParser,
    available_frontends: Collection[str],
    available_passes: Collection[str],
    available_targets: Collection[str],
) -> None:
    """Make xDSL's parser, which has its options, one of ours, and add our options."""
    parser.__class__ = OptParser
    assert isinstance(parser, OptParser)
    parser.available_passes = available_passes
    frontend = parser._option_string_actions["--frontend"]
    frontend.choices = available_frontends  # xDSL 0.75 would take options with them, which ours do not have
    frontend.help = "how the input is read, if not by the extension of the file and by what is in it"
    passes = parser._option_string_actions["--passes"]
    passes.help = "the passes to run, with commas in between, or each as an option, as in --PASS: the list is below"
    parser._option_string_actions["--target"].type = _target_among(available_targets)
    version = parser._option_string_actions["--version"]
    for option in version.option_strings:
        parser._option_string_actions[option] = VersionAction(version.option_strings, version.dest, version.help)
    parser.add_argument(
        "--no-verify", dest="disable_verify", action="store_true", help="as --disable-verify: read broken modules"
    )
    parser.add_argument("--xdsl-syntax", action="store_true", help="print xDSL's own text instead of upstream MLIR's")
    parser.add_argument(
        "--mlir-print-debuginfo",
        dest="print_debuginfo",
        action="store_true",
        help="print locations, as mlir-opt's option does (the same as --print-debuginfo)",
    )
    parser.add_argument(
        "--pass-pipeline",
        dest="passes",
        metavar="PASSES",
        default=argparse.SUPPRESS,
        help="the same as --passes, which takes `builtin.module(PASSES)` too, as mlir-opt's option does",
    )
    parser.add_argument(
        DEBUG_PATTERNS,
        nargs="?",
        metavar="NAME",
        help="print on standard error what each pattern removes and adds, and why others did not apply; "
        f"{DEBUG_PATTERNS}=NAME: only those of one pattern, or of one pass",
    )
    parser.add_argument(
        "--stage",
        metavar="PASS|N|last",
        help="of a log of passes, take only the dumps of PASS, dump N, from 1 on, or the last one",
    )
    parser.add_argument(
        "--list-stages", action="store_true", help="list the dumps in a log of passes, with their numbers, and stop"
    )
    parser.add_argument(
        "--maps",
        choices=list(Spelling),
        help="how indexing maps are printed: of affine expressions, as by XLA until May 2026, or of symbolic ones, as "
        f"since then; by default as {VARIABLE} says, or as the jaxlib that is installed does",
    )
    parser.add_argument("--emit-bytecode", action="store_true", help="write MLIR bytecode, as mlir-opt's option does")
    parser.add_argument(
        "--emit-artifact",
        metavar="VERSION",
        help=f"write a portable artifact for this version of StableHLO, such as {ARTIFACT_VERSION}, as JAX exports",
    )


def _target_among(available: Collection[str]) -> Callable[[str], str]:
    """The type of an option that takes one of `available`, perhaps with options: `ptx{opt_level=2}`."""

    def target(text: str) -> str:
        name = parse_spec(text).name
        if name not in available:
            hint = did_you_mean(name, available)
            raise argparse.ArgumentTypeError(f"invalid choice: '{name}'{hint} (choose from {', '.join(available)})")
        return text

    return target
