"""Passes that run other passes."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from contextlib import nullcontext
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass, PassPipeline

from xshardy.rewriting import PatternPass
from xshardy.rewriting.observer import observer_around
from xshardy.rewriting.operation_index import indexed, not_indexed
from xshardy.rewriting.rewriter import ReasonListener
from xshardy.transforms.read_only_pass import ReadOnlyPass


class PipelinePass(ModulePass, ABC):
    """A pass that runs `passes`, in order, and has no patterns of its own."""

    no_patterns: ClassVar[str] = "a pipeline of other passes"

    @property
    @abstractmethod
    def passes(self) -> tuple[ModulePass, ...]:
        """The passes, in order."""

    def check(self, module: ModuleOp) -> None:
        """Raise the errors of the passes that they would raise after earlier ones have changed `module`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        with indexed(op):
            self.check(op)
            for _ in self.applied(ctx, op):
                pass

    def applied(
        self, ctx: Context, op: ModuleOp, because: Callable[[Operation, str], None] | None = None
    ) -> Generator[ModulePass]:
        """Run the passes one by one, and yield each after it has run. `because` gets the reasons of their patterns."""
        listener = ReasonListener()
        listener.because = because
        observer = observer_around(op)
        with indexed(op):
            for step in self.passes:
                if because is not None and isinstance(step, PatternPass) and step.records_changes:
                    step.rewrite_module(op, listener)
                else:
                    _apply(step, ctx, op)
                if observer is not None:
                    observer.end_pass(step.name)
                yield step


def _apply(step: ModulePass, ctx: Context, op: ModuleOp) -> None:
    """Apply a pass of a pipeline, without the index if it does not report what it changes."""
    reports_changes = isinstance(step, PatternPass | PipelinePass | ReadOnlyPass)
    with nullcontext() if reports_changes else not_indexed(op):
        step.apply(ctx, op)


class IndexedPipeline(PassPipeline):
    """A pipeline as xDSL's, whose passes share an index of the operations of the module, and what they find."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        with indexed(op):
            for before, after in zip((None, *self.passes), (*self.passes, None), strict=True):
                if before is not None:
                    _apply(before, ctx, op)
                if self.callback is not None:
                    self.callback(before, op, after)
