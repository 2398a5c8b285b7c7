"""
Canonicalization: fold, rewrite, and erase what is dead, until nothing changes.

The patterns are those of xDSL's and our own operations, and for upstream's arith, scf, tensor, vector and complex those
of `canonicalization`, which replace xDSL's.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriterListener, RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait

from xshardy.rewriting import TO_FIXPOINT, PatternOfPatterns, PatternSet, Step, rewrite
from xshardy.rewriting.changes import Changes, IncrementalPass
from xshardy.rewriting.pattern import takes
from xshardy.transforms.canonicalization import arith_patterns, containers, scf_patterns
from xshardy.transforms.canonicalization.folds import fold_of
from xshardy.transforms.canonicalization.steps import canonicalization_steps

PATTERNS: Sequence[RewritePattern] = (
    *arith_patterns.PATTERNS,
    *scf_patterns.PATTERNS,
    *containers.PATTERNS,
)


@cache
def brought_along(op_type: type[Operation]) -> tuple[RewritePattern, ...]:
    """The canonicalization patterns that a class brings along; none where folds or patterns of ours replace them."""
    if fold_of(op_type) is not None or any(takes(pattern, op_type) for pattern in PATTERNS):
        return ()
    traits = op_type.get_traits_of_type(HasCanonicalizationPatternsTrait)
    patterns = (pattern for trait in traits for pattern in trait.get_patterns(op_type))
    return tuple(pattern for pattern in patterns if takes(pattern, op_type))


class ApplyPatternsBroughtAlong(PatternOfPatterns):
    """`op(x)` -> what the canonicalization patterns of its own class make of it, for classes without patterns here."""

    @classmethod
    def patterns_of_class(cls, op_type: type[Operation], /) -> Sequence[RewritePattern]:
        return brought_along(op_type)


CANONICALIZATION = PatternSet((*PATTERNS, ApplyPatternsBroughtAlong()))
"""The patterns of all operations."""


class CanonicalizePass(IncrementalPass):
    """Apply all folds and canonicalization patterns until nothing changes."""

    name = "xla-gpu-canonicalize"
    source: ClassVar[str] = 'XLA:GPU emitters, "canonicalize" of the codegen pipeline (XGPU-10)'

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        return canonicalization_steps(CANONICALIZATION)

    def rewrite_changes(self, module: ModuleOp, changes: Changes, listener: PatternRewriterListener | None) -> None:
        for step in self.steps(module):
            # Constants are few, and each has its place, so all of them are visited.
            among = changes if step.walk is TO_FIXPOINT else None
            rewrite(module, step.patterns, step.walk, listener, among)
