"""The patterns of passes do the same under xDSL's `PatternRewriteWalker` as under our driver, and report changes."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.utils.arg_spec import parse_pipeline

from xshardy.rewriting import PatternPass, Walk, operation_index
from xshardy.rewriting.operation_index import OperationIndex
from xshardy.tools.xshardy_opt import run

PASS_OPTIONS = ("-p", "--passes")
WITH_LOCATIONS = "--mlir-print-debuginfo"
"""Our driver carries locations, xDSL's walker does not."""


def commands(path: Path) -> Iterator[list[str]]:
    """The arguments of each `xshardy-opt` that the RUN lines of `path` call with passes, without the file."""
    text = path.read_text()
    for line in text.replace("\\\n// RUN:", "").splitlines():
        if "RUN: xshardy-opt" not in line:
            continue
        command = shlex.split(line.split("RUN: xshardy-opt", 1)[1])
        arguments = command[: command.index("|")] if "|" in command else command
        has_passes = any(option in arguments for option in PASS_OPTIONS)
        if has_passes and WITH_LOCATIONS not in arguments and not any("%t" in each for each in arguments):
            yield [each for each in arguments if each not in ("%s", "--verify-diagnostics")]


def passes_in(arguments: list[str]) -> set[str]:
    return {spec.name for option in PASS_OPTIONS if option in arguments for spec in specs_after(option, arguments)}


def specs_after(option: str, arguments: list[str]):
    return parse_pipeline(arguments[arguments.index(option) + 1])


def state(op: Operation) -> object:
    """What `op` is, without what is in its regions."""
    return op.parent, *op.operands, *op.result_types, *op.attributes.items(), *op.properties.items()


@dataclass(frozen=True)
class Reporting(RewritePattern):
    """What `pattern` does, if it tells the rewriter of every change: drivers visit again what was reported."""

    pattern: RewritePattern

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        before = state(op)
        self.pattern.match_and_rewrite(op, rewriter)
        assert rewriter.has_done_action or state(op) == before, f"{self.pattern} changed {op} and did not report it"


def rewrite_with_xdsl(self: PatternPass, module: ModuleOp, listener: PatternRewriterListener | None = None) -> bool:
    """`PatternPass.rewrite_module`, by xDSL's means only."""
    changed = False
    for step in self.steps(module):
        walker = PatternRewriteWalker(
            GreedyRewritePatternApplier([*map(Reporting, step.patterns)], dce_enabled=False),
            walk_reverse=step.walk.walk_reverse,
            walk_regions_first=step.walk.walk_regions_first,
            apply_recursively=step.walk.apply_recursively,
            listener=listener or PatternRewriterListener(),
        )
        for root in (module,) if step.roots is None else step.roots:
            for region in root.regions:
                changed |= walker.rewrite_region(region)
    return changed


class _KeepsNothing(dict[Operation, Any]):
    def __setitem__(self, op: Operation, value: object, /) -> None:
        pass


class WalksAgain(OperationIndex):
    """Nothing is kept: only our driver tells of operations that are inserted, moved or erased."""

    def __init__(self, module: ModuleOp):
        super().__init__(module)
        self.numbers = _KeepsNothing()

    def select(self, root: Operation, walk: Walk, wanted: Mapping[type[Operation], object]) -> list[Operation]:
        self.forget()
        return super().select(root, walk, wanted)


def check(path: Path) -> None:
    """The commands of the RUN lines of `path` print the same, but those that reject it."""
    for arguments in commands(path):
        text = path.read_text()
        status, output, _ = run(arguments, text)
        if status != 0:
            continue
        with (
            patch.object(PatternPass, "rewrite_module", rewrite_with_xdsl),
            patch.object(operation_index, "OperationIndex", WalksAgain),
        ):
            assert run(arguments, text)[:2] == (status, output), arguments
