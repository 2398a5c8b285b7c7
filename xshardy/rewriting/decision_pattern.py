"""Patterns that apply what an analysis decided."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

DecisionT = TypeVar("DecisionT")


@dataclass(frozen=True)
class DecisionPattern(RewritePattern, Generic[DecisionT]):
    """Rewrites the operations that `decisions` has an entry for, each as the entry says; implement `rewrite`."""

    decisions: Mapping[Operation, DecisionT] = field(default_factory=dict[Operation, DecisionT], repr=False)

    @property
    def op_types(self) -> tuple[type, ...]:
        """The classes that the driver matches: those of the operations with a decision, so none without decisions."""
        return tuple({type(op) for op in self.decisions})

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if (decision := self.decisions.get(op)) is not None:
            self.rewrite(op, decision, rewriter)

    @abstractmethod
    def rewrite(self, op: Operation, decision: DecisionT, rewriter: PatternRewriter, /) -> None:
        """Rewrite `op` as `decision` says."""
