"""The base of the patterns that rewrite an operation on whole tensors to what each device executes."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.transforms.sdy_export.local.device_code import Channels, DeviceCode, LocalOptions
from xshardy.transforms.sdy_export.local.whole_tensors import WholeTensors

OpT = TypeVar("OpT", bound=Operation)
DecisionT = TypeVar("DecisionT")


@dataclass(frozen=True)
class LocalPattern(RewritePattern, Generic[OpT, DecisionT]):
    """
    Rewrites operations of `op_types` as `decide` decided for each while its tensors were whole.

    When it runs, the operands and results of the operation have the types of parts.
    """

    op_types: ClassVar[tuple[type[Operation], ...]]
    decisions: Mapping[Operation, Any]
    options: LocalOptions
    channels: Channels

    @staticmethod
    @abstractmethod
    def decide(op: Any, before: WholeTensors) -> Any:
        """
        What `rewrite` must know of `op`; None if the types of parts are all that it needs.

        Raises `OperationFailedException` if `op` cannot be made local.
        """

    @abstractmethod
    def rewrite(self, op: OpT, decision: DecisionT, code: DeviceCode) -> None:
        """Rewrite `op`."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if isinstance(op, self.op_types) and (decision := self.decisions.get(op)) is not None:
            self.rewrite(op, decision, DeviceCode(rewriter, self.options, self.channels))  # pyright: ignore
