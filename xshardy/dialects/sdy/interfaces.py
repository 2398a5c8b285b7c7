"""
Interfaces that operations of any dialect can implement to take part in sharding.

Source: rows SDY-IF-01 and SDY-IF-02, and Shardy's docs, "Op interfaces".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Enum, auto

from xdsl.ir import BlockArgument, Operation, SSAValue, Use

from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr

CANONICALIZATION = "xshardy.dialects.sdy.canonicalization"
"""The module with the canonicalization patterns of sdy."""


class ShardingTransform(Enum):
    """Which way a sharding is carried over the border of a region."""

    BEFORE_PROPAGATION = auto()
    AFTER_PROPAGATION = auto()


class ShardableDataFlowOpInterface(Operation, ABC):
    """
    An operation with regions through which values flow, such as a loop or a call with a body.

    A data flow edge joins its sources (operands of the operation, or of the terminators in it) and its targets (results
    of the operation, or arguments of its blocks), all of which are to be sharded alike. One target owns the edge: its
    sharding is that of the edge.
    """

    @abstractmethod
    def block_argument_edge_owners(self) -> Sequence[BlockArgument]:
        """The block arguments that own an edge."""

    def op_result_edge_owners(self) -> Sequence[SSAValue]:
        """The results that own an edge."""
        return self.results

    @abstractmethod
    def edge_sources(self, owner: SSAValue) -> Sequence[SSAValue]:
        """The sources of the edge that `owner` owns."""

    @abstractmethod
    def edge_owner_from_target(self, target: SSAValue) -> SSAValue | None:
        """The owner of the edge that `target` belongs to; None if it belongs to none."""

    @abstractmethod
    def edge_owner_from_source(self, source: Use) -> SSAValue | None:
        """The owner of the edge that the use `source` feeds: an operand of the operation, or of a terminator in it."""

    def non_edge_owner_targets(self, owner: SSAValue) -> Sequence[SSAValue]:
        """The other targets of the edge that `owner` owns."""
        return ()

    @abstractmethod
    def edge_owner_sharding(self, owner: SSAValue) -> TensorShardingAttr | None:
        """The sharding of the edge that `owner` owns; None if it has none yet."""

    @abstractmethod
    def set_edge_owner_sharding(self, owner: SSAValue, sharding: TensorShardingAttr) -> None:
        """Give the edge that `owner` owns a sharding."""

    def transform_target_sharding(
        self, target: SSAValue, sharding: TensorShardingAttr, transform: ShardingTransform
    ) -> TensorShardingAttr:
        """`sharding` of the edge as `target` has it, or back: the two differ where the region is local to some axes."""
        return sharding


class CollectiveOpInterface(Operation, ABC):
    """
    An operation on a tensor that only moves its parts between devices: its sharding changes, its value does not.

    It has one operand, the tensor, and one result, the tensor with the sharding that the property `out_sharding` holds.
    """

    @property
    def allows_missing_input_sharding(self) -> bool:
        """Whether an operand without a sharding is taken as replicated, not as an error."""
        return False

    @property
    def allows_different_meshes(self) -> bool:
        """Whether the operand may be sharded over another mesh than the result."""
        return False


class ShardingRuleOpInterface(Operation, ABC):
    """An operation that knows its own sharding rule."""

    @abstractmethod
    def sharding_rule(self) -> OpShardingRuleAttr:
        """The rule of this operation. It must have ranked operands and results of static shape."""

    @property
    def keep_output_shardings_divisible(self) -> bool:
        """Whether results must not be sharded so that they need padding."""
        return False
