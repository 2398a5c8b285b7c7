"""Canonicalization that folds no constants, since folding would move them out of the regions that they belong to."""

from collections.abc import Iterable
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from xshardy.hlo_text.dissolve_tuples import ReadElementDirectly
from xshardy.rewriting import TO_FIXPOINT, PatternPass, Step
from xshardy.transforms.unused_operations import EraseUnusedOperation


class CanonicalizeImportedPass(PatternPass):
    """
    Erase operations that are not used, and read elements of tuples directly.

    Manual computations stay as they are, so that a round trip gives back what was written.
    """

    name = "xla-sdy-canonicalize"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-round-trip-import-pipeline: its canonicalizer"

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        yield Step((EraseUnusedOperation(), ReadElementDirectly()), TO_FIXPOINT)
