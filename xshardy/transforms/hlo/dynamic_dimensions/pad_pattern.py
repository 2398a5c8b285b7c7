"""The base of the patterns that give an operation tensors of their largest sizes."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, TypeVar

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.transforms.hlo.dynamic_dimensions.padded_code import PaddedCode
from xshardy.transforms.hlo.dynamic_dimensions.padded_value import Padded, is_dynamic

OpT = TypeVar("OpT", bound=Operation)


class PadPattern(RewritePattern, Generic[OpT]):
    """Rewrites operations of `op_types` that have dynamic tensors, once their operands are known as padded ones."""

    op_types: ClassVar[tuple[type[Operation], ...]]

    @staticmethod
    def refusal(op: Any) -> str | None:
        """Why `op` cannot be padded; None if it can. Looks at types and attributes: nothing is rewritten yet."""
        return None

    @abstractmethod
    def padded(self, op: OpT, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        """The results of `op`."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, self.op_types) or not is_dynamic(op):
            return
        operands = [Padded.of(operand) for operand in op.operands]
        known = [operand for operand in operands if operand is not None]
        if len(known) == len(operands):
            code = PaddedCode(rewriter)
            results = self.padded(op, known, code)  # pyright: ignore[reportArgumentType]
            types = op.result_types
            rewriter.replace(op, (), [code.with_sizes(*each) for each in zip(results, types, strict=True)])
