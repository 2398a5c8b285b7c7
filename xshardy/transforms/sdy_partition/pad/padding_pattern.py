"""The base of the patterns that give an operation padded tensors."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.transforms.sdy_partition.pad.padded_tensors import PaddedTensors
from xshardy.transforms.sdy_partition.pad.padding_code import PaddingCode

OpT = TypeVar("OpT", bound=Operation)


@dataclass(frozen=True)
class PaddingPattern(RewritePattern, Generic[OpT]):
    """
    Rewrites operations of `op_types` that have padded tensors.

    When the pattern runs, operands and results have padded types.
    """

    op_types: ClassVar[tuple[type[Operation], ...]]
    decisions: Mapping[Operation, PaddedTensors]
    """The tensors of each operation that the pattern rewrites."""

    @staticmethod
    @abstractmethod
    def fits(op: Any, tensors: PaddedTensors) -> bool:
        """Whether the pattern takes `op`; else `op` gets tensors without padding. Types are not padded yet."""

    @abstractmethod
    def rewrite(self, op: OpT, tensors: PaddedTensors, code: PaddingCode) -> None:
        """Rewrite `op`."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if isinstance(op, self.op_types) and (tensors := self.decisions.get(op)) is not None:
            self.rewrite(op, tensors, PaddingCode(rewriter))  # pyright: ignore[reportArgumentType]
