"""The base of the patterns that rewrite an operation on whole tensors to what each device executes."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.transforms.sdy_partition.local.device_code import Channels, DeviceCode, LocalOptions
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors

OpT = TypeVar("OpT", bound=Operation)
DecisionT = TypeVar("DecisionT")


@dataclass(frozen=True)
class LocalPattern(RewritePattern, Generic[OpT, DecisionT]):
    """
    Rewrites operations of `op_types` by the decisions of `decide`, which ran while the tensors were whole.

    When the pattern runs, operands and results have the types of parts.
    """

    op_types: ClassVar[tuple[type[Operation], ...]]
    checks_shardings: ClassVar[bool] = False
    """Whether `decide` checks that all tensors are sharded alike; else their sharding rule says it."""
    decisions: Mapping[Operation, Any]
    options: LocalOptions
    channels: Channels

    @staticmethod
    @abstractmethod
    def decide(op: Any, before: WholeTensors) -> Any:
        """
        The decision for `rewrite`; None if `op` only needs the types of parts.

        Raises `OperationFailedException` if `op` cannot be made local.
        """

    @abstractmethod
    def rewrite(self, op: OpT, decision: DecisionT, code: DeviceCode) -> None:
        """Rewrite `op`."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if isinstance(op, self.op_types) and (decision := self.decisions.get(op)) is not None:
            self.rewrite(op, decision, DeviceCode(rewriter, self.options, self.channels))  # pyright: ignore
