"""The patterns of passes do the same under xDSL's `PatternRewriteWalker` as under our driver, and report changes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)

from xshardy.rewriting import PatternPass, Walk, operation_index
from xshardy.rewriting.operation_index import OperationIndex
from xshardy.syntax import parse_module, print_module
from xshardy.universe import new_context


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


def printed(passes: Iterable[ModulePass], text: str) -> str:
    """The module of `text` after `passes`, whose patterns xDSL's walker applies."""
    ctx = new_context()
    ctx.allow_unregistered = True
    module = parse_module(text, ctx=ctx)
    with (
        patch.object(PatternPass, "rewrite_module", rewrite_with_xdsl),
        patch.object(operation_index, "OperationIndex", WalksAgain),
    ):
        for each in passes:
            each.apply(ctx, module)
    return print_module(module)
