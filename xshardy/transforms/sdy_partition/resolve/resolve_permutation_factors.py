"""
Exchange elements between devices where parts of a result need elements of other parts of the operands.

Source: Shardy's docs, "Export passes", `sdy-resolve-permutation-factors`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.stablehlo.shape import ReshapeOp
from xshardy.rewriting import INNER_FIRST, PatternPass, Walk
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.sdy.op_kinds import is_elementwise
from xshardy.transforms.sdy_export.factor_conflicts import FactorConflicts, Resolution, conflicts_in
from xshardy.transforms.sdy_export.likeness import Likeness
from xshardy.transforms.sdy_partition.exchange.gathers import Gather, GatherDimensions
from xshardy.transforms.sdy_partition.exchange.pattern import Gathered
from xshardy.transforms.sdy_partition.local.convert_global_to_local import next_channel
from xshardy.transforms.sdy_partition.local.device_code import Channels, LocalOptions
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPatternClass
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors
from xshardy.transforms.sdy_partition.operations import OPERATIONS, PLAIN, Partitioning, patterns_of


@dataclass(frozen=True, slots=True)
class PermutationDecisions:
    """What becomes of each operation that needs elements of other parts."""

    exchanges: dict[Operation, object] = field(default_factory=dict[Operation, object])
    gathers: dict[Operation, Gather] = field(default_factory=dict[Operation, Gather])


Column = Callable[[Partitioning], LocalPatternClass | None]
"""The pattern of a row that exchanges elements, or whole parts."""


@dataclass(frozen=True)
class PermutationDecider:
    """Decides what becomes of operations of `module`; those for which `exchange` has no pattern are gathered."""

    module: ModuleOp
    exchange: Column
    is_enabled: bool
    """Whether there are exchanges at all. Without, only what upstream knows stays: what it has an exchange for."""

    @cached_property
    def _conflicts(self) -> FactorConflicts:
        return conflicts_in(self.module)

    def decisions(self) -> PermutationDecisions:
        """The decisions for all operations."""
        found, likeness = PermutationDecisions(), Likeness(self.module)
        need_nothing = set[int]()
        """Operations, by likeness, that need no elements of other parts: nearly all of them."""
        for op in operations_in(self.module):
            if not op.name.startswith("stablehlo.") or is_elementwise(op):
                continue
            row = OPERATIONS.get(type(op), PLAIN)
            reads_definitions = type(op) is not ReshapeOp and (self.exchange(row) is not None or row.gather is not None)
            key = None if reads_definitions else likeness.of(op)
            if key is not None and key in need_nothing:
                continue
            decision = self._decision(op, row)
            if isinstance(decision, Gather):
                found.gathers[op] = decision
            elif decision is not None:
                found.exchanges[op] = decision
            elif key is not None:
                need_nothing.add(key)
        return found

    def _decision(self, op: Operation, row: Partitioning) -> object:
        """What the pattern of `op` exchanges, or how it is gathered; None if it needs neither."""
        pattern = self.exchange(row) if self.is_enabled else None
        if pattern is None and row.gather is None and not self._conflicts.permutation_factors(op):
            return None
        before = WholeTensors.of(op)
        if before.is_replicated or not all(tensor.is_static for tensor in (*before.operands, *before.results)):
            return None
        decision = Gathered("no exchange is known") if pattern is None else pattern.decide(op, before)
        if isinstance(decision, Gathered):
            resolution = self._gathered(op, row, before)
            needs_nothing = resolution is None and (pattern is None or row.gather is not None)
            return None if needs_nothing else Gather(resolution, decision.reason)
        return decision

    def _gathered(self, op: Operation, row: Partitioning, before: WholeTensors) -> Resolution | None:
        """The reshards that let no part of a result of `op` need elements of other parts; None if none does anyway."""
        if row.gather is not None:
            return row.gather(op, before)
        stays = row.stays if self.is_enabled or row.whole_parts is not None else None
        factors = [
            factor
            for factor, dims in self._conflicts.permutation_factors(op).items()
            if stays is None or not stays(op, dims[0], before)
        ]
        return self._conflicts.without_axes(op, factors)


@dataclass(frozen=True)
class ResolvePermutationFactorsPass(PatternPass):
    """
    Exchange elements between devices where parts of a result need elements of other parts: slices, pads, windows.

    Whole parts go to neighbours, as in upstream; or, with `fewest_bytes`, only elements that are needed, and of more
    kinds of operations. Where that is no less than a gather, or without `enable_halo_exchange`, all devices get such
    dimensions whole; with `only_exchanges`, what needs that stays. Devices are numbered by replica if `replica_count`
    is more than 1, else by partition.
    """

    name = "sdy-resolve-permutation-factors"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-resolve-permutation-factors'
    enable_halo_exchange: bool = True
    replica_count: int = 1
    partition_count: int = 1
    fewest_bytes: bool = False
    only_exchanges: bool = False

    walk: ClassVar[Walk] = INNER_FIRST

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        if self.replica_count > 1 and self.partition_count > 1:
            raise PassFailedException("devices are numbered by replica or by partition: leave one of the counts at 1")

        def exchange(row: Partitioning) -> LocalPatternClass | None:
            return row.exchange if self.fewest_bytes else row.whole_parts

        decisions = PermutationDecider(module, exchange, self.enable_halo_exchange).decisions()
        options, channels = LocalOptions(by_replica=self.replica_count > 1), Channels(next_channel(module))
        gathers = decisions.gathers
        if self.only_exchanges:
            gathers = {op: replace(gather, resolution=None) for op, gather in gathers.items()}
        exchanges = patterns_of(exchange, decisions.exchanges)
        return GatherDimensions(gathers), *(
            pattern(decided, options, channels) for pattern, decided in exchanges.items()
        )
