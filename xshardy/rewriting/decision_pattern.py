"""Patterns that apply the decisions of an analysis."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar, final

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

OperationT = TypeVar("OperationT", bound=Operation)
DecisionT = TypeVar("DecisionT")
CodeT = TypeVar("CodeT")

_UNDECIDED = object()
"""Stands for no decision in a look-up, since None may be one."""


@dataclass(frozen=True)
class DecidedPattern(RewritePattern, Generic[OperationT, DecisionT, CodeT]):
    """
    A pattern that rewrites the operations for which an analysis made a decision, as `rewrite` says.

    `rewrite` gets what it inserts operations with: `code` makes it of the rewriter.
    """

    decisions: Mapping[OperationT, DecisionT]
    """What is decided for each operation that is rewritten; other operations stay."""

    @cached_property
    def op_types(self) -> tuple[type, ...]:
        """The classes of the operations with a decision."""
        return tuple({type(op) for op in self.decisions})

    @final
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        decision: DecisionT | None = self.decisions.get(op, _UNDECIDED)  # pyright: ignore
        if decision is not _UNDECIDED:
            self.rewrite(op, decision, self.code(rewriter))  # pyright: ignore[reportArgumentType]

    @abstractmethod
    def code(self, rewriter: PatternRewriter, /) -> CodeT:
        """What `rewrite` inserts operations with, in front of the operation that is rewritten."""

    @abstractmethod
    def rewrite(self, op: OperationT, decision: DecisionT, code: CodeT, /) -> None:
        """Rewrite `op` as decided."""


class DecisionPattern(DecidedPattern[OperationT, DecisionT, PatternRewriter], Generic[OperationT, DecisionT]):
    """
    A decided pattern that inserts operations with the rewriter.

    Decisions are given in the order in which the walk visits their operations: if there is no other pattern, the driver
    goes through the decisions, without a walk.
    """

    @final
    def code(self, rewriter: PatternRewriter, /) -> PatternRewriter:
        return rewriter
