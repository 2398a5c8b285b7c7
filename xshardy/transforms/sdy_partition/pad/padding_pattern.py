"""The base of the patterns that give an operation padded tensors."""

from typing import Any, Generic, TypeVar

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.rewriting import DecidedPattern
from xshardy.transforms.sdy_partition.pad.padded_tensors import PaddedTensors
from xshardy.transforms.sdy_partition.pad.padding_code import PaddingCode

OpT = TypeVar("OpT", bound=Operation)
DecisionT = TypeVar("DecisionT")


class PaddingPattern(DecidedPattern[OpT, DecisionT, PaddingCode], Generic[OpT, DecisionT]):
    """
    Rewrites operations that have padded tensors, by the decisions of `decide`, which ran before types were padded.

    When the pattern runs, operands and results have padded types.
    """

    @staticmethod
    def decide(op: Any, tensors: PaddedTensors) -> object:
        """The decision for `rewrite`: `tensors`; None if `op` takes no padded tensors, and gets them whole."""
        return tensors

    def code(self, rewriter: PatternRewriter, /) -> PaddingCode:
        return PaddingCode(rewriter)
