"""The base of the patterns that rewrite an operation on whole tensors to what each device executes."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.rewriting import DecidedPattern
from xshardy.transforms.sdy_partition.local.device_code import Channels, DeviceCode, LocalOptions
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors

OpT = TypeVar("OpT", bound=Operation)
DecisionT = TypeVar("DecisionT")


@dataclass(frozen=True)
class LocalPattern(DecidedPattern[OpT, DecisionT, DeviceCode], Generic[OpT, DecisionT]):
    """
    Rewrites operations by the decisions of `decide`, which ran while the tensors were whole.

    When a pattern of `sdy-convert-global-to-local` runs, operands and results have the types of parts.
    """

    checks_shardings: ClassVar[bool] = False
    """Whether `decide` checks that all tensors are sharded alike; else their sharding rule says it."""
    options: LocalOptions
    channels: Channels

    @staticmethod
    @abstractmethod
    def decide(op: Any, before: WholeTensors) -> object:
        """
        The decision for `rewrite`; None if `op` only needs the types of parts.

        Raises `OperationFailedException` if `op` cannot be made local.
        """

    def code(self, rewriter: PatternRewriter, /) -> DeviceCode:
        return DeviceCode(rewriter, self.options, self.channels)


LocalPatternClass: TypeAlias = type[LocalPattern[Any, Any]]
"""A pattern for operations of some class, by decisions of some kind."""
