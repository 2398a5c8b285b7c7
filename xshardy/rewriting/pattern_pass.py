"""A pass is a name, options, and patterns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriterListener, RewritePattern

from xshardy.ir.walks import FORWARD, Walk
from xshardy.rewriting.driver import rewrite


@dataclass(frozen=True, slots=True)
class Step:
    """
    Patterns that are applied together, and in which order operations are visited.

    With `roots`, the patterns are applied to the operations in each of these, one root after the other, and nowhere
    else in the module.
    """

    patterns: Sequence[RewritePattern]
    walk: Walk = FORWARD
    roots: Sequence[Operation] | None = None


class PatternPass(ModulePass):
    """
    A pass made of patterns.

    A pass of one step has `fixed_patterns` or overrides `patterns`, and has `walk` where operations are not visited in
    text order. A pass of several steps overrides `steps`: a step starts when the one before is done, so it may analyse
    what that one made.

    Analyses run inside these methods and are handed to patterns as fields. They raise `PassFailedException` for a
    module that the pass cannot take, before any pattern runs. For a module without operations there is nothing to
    raise, and the patterns are those that `docs/passes.md` lists.
    """

    walk: ClassVar[Walk] = FORWARD
    fixed_patterns: ClassVar[Sequence[RewritePattern]]
    """The patterns of a pass that has the same ones for all modules, so these keep nothing of a module."""

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        """The patterns for `module`, in the order in which they are tried on an operation."""
        return self.fixed_patterns

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        """The steps for `module`, each made when the one before is done."""
        yield Step(self.patterns(module), self.walk)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.rewrite_module(op)

    @property
    def records_changes(self) -> bool:
        """Whether `rewrite_module` does all that `apply` does, so that it reports every change to its listener."""
        return type(self).apply is PatternPass.apply

    def rewrite_module(self, module: ModuleOp, listener: PatternRewriterListener | None = None) -> bool:
        """Run the steps. Says whether anything changed; `listener` gets an event for every change."""
        changed = False
        for step in self.steps(module):
            for root in (module,) if step.roots is None else step.roots:
                changed |= rewrite(root, step.patterns, step.walk, listener)
        return changed
