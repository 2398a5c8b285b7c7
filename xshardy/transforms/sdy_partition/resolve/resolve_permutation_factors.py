"""
Exchange elements between devices where parts of a result need elements of other parts of the operands.

Source: Shardy's docs, "Export passes", `sdy-resolve-permutation-factors`.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.stablehlo.convolution import ConvolutionOp
from xshardy.dialects.stablehlo.shape import PadOp, ReshapeOp
from xshardy.dialects.stablehlo.windows import ReduceWindowOp
from xshardy.rewriting import INNER_FIRST, PatternPass, Walk
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.sdy.op_kinds import is_elementwise
from xshardy.transforms.sdy_export.factor_conflicts import FactorConflicts, Resolution
from xshardy.transforms.sdy_export.likeness import alike
from xshardy.transforms.sdy_partition.exchange.exchanged_concatenations import ExchangeOfConcatenate
from xshardy.transforms.sdy_partition.exchange.exchanged_movement import (
    ExchangeOfPad,
    ExchangeOfReverse,
    ExchangeOfSlice,
)
from xshardy.transforms.sdy_partition.exchange.exchanged_reshapes import ExchangeOfReshape
from xshardy.transforms.sdy_partition.exchange.exchanged_scatters import ExchangeOfSelectAndScatter
from xshardy.transforms.sdy_partition.exchange.exchanged_windows import ExchangeOfConvolution, ExchangeOfReduceWindow
from xshardy.transforms.sdy_partition.exchange.gathers import STAYS, STAYS_UPSTREAM, GatherDimensions, Stays, gathered
from xshardy.transforms.sdy_partition.exchange.pattern import Other
from xshardy.transforms.sdy_partition.exchange.reshapes import ReshapeOfWholeParts
from xshardy.transforms.sdy_partition.exchange.reverses import Meshes, ReverseOfWholeParts
from xshardy.transforms.sdy_partition.exchange.slices_and_pads import PadOfWholeParts, SliceOfWholeParts
from xshardy.transforms.sdy_partition.exchange.summed_dynamic_slices import SumOfDynamicSlices
from xshardy.transforms.sdy_partition.local.convert_global_to_local import next_channel
from xshardy.transforms.sdy_partition.local.device_code import Channels, LocalOptions
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors

WHOLE_PARTS: tuple[type[LocalPattern[Any, Any]], ...] = (
    PadOfWholeParts,
    ReshapeOfWholeParts,
    ReverseOfWholeParts,
    SliceOfWholeParts,
)
"""What upstream has an exchange for."""

ELEMENTS: tuple[type[LocalPattern[Any, Any]], ...] = (
    ExchangeOfConcatenate,
    ExchangeOfConvolution,
    ExchangeOfPad,
    ExchangeOfReduceWindow,
    ExchangeOfReshape,
    ExchangeOfReverse,
    ExchangeOfSelectAndScatter,
    ExchangeOfSlice,
    SumOfDynamicSlices,
)
"""What has an exchange that moves only the elements that are needed."""


WITHOUT_FACTOR = frozenset[type[Operation]]({ConvolutionOp, PadOp, ReduceWindowOp, ReshapeOp})
"""Operations that can need elements of other parts although their rule has no factor that says so."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """What becomes of each operation that needs elements of other parts."""

    exchanges: dict[Operation, Any] = field(default_factory=dict[Operation, Any])
    gathers: dict[Operation, Resolution] = field(default_factory=dict[Operation, Resolution])


@dataclass(frozen=True)
class Decider:
    """Decides what becomes of operations of `module`; those that none of `patterns` takes are gathered."""

    module: ModuleOp
    patterns: Sequence[type[LocalPattern[Any, Any]]]
    stays: Mapping[type[Operation], Stays]
    _need_nothing: set[Hashable] = field(default_factory=set[Hashable], init=False)
    """Reshapes, by likeness, that need no elements of other parts: nearly all of them."""

    @cached_property
    def _conflicts(self) -> FactorConflicts:
        return FactorConflicts(self.module)

    @cached_property
    def _by_type(self) -> Mapping[type[Operation], type[LocalPattern[Any, Any]]]:
        return {op_type: pattern for pattern in self.patterns for op_type in pattern.op_types}

    def decisions(self) -> Decisions:
        """The decisions for all operations."""
        found = Decisions()
        for op in operations_in(self.module):
            if not op.name.startswith("stablehlo.") or is_elementwise(op):
                continue
            key = alike(op) if isinstance(op, ReshapeOp) else None
            if key is not None and key in self._need_nothing:
                continue
            decision = self._decision(op)
            if isinstance(decision, Resolution):
                found.gathers[op] = decision
            elif decision is not None:
                found.exchanges[op] = decision
            elif key is not None:
                self._need_nothing.add(key)
        return found

    def _decision(self, op: Operation) -> Any:
        """What the pattern of `op` exchanges, or the resolution by which it is gathered; None if it needs neither."""
        pattern = self._by_type.get(type(op))
        if pattern is None and type(op) not in WITHOUT_FACTOR and not self._conflicts.permutation_factors(op):
            return None
        before = WholeTensors.of(op)
        if before.is_replicated or not all(tensor.is_static for tensor in (*before.operands, *before.results)):
            return None
        decision = Other.GATHER if pattern is None else pattern.decide(op, before)
        if decision is Other.GATHER:
            return gathered(op, before, self._conflicts, self.stays)
        return None if decision is Other.STAY else decision


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
        exchanges = ELEMENTS if self.fewest_bytes else WHOLE_PARTS
        stays = STAYS if self.enable_halo_exchange else STAYS_UPSTREAM
        decisions = Decider(module, exchanges if self.enable_halo_exchange else (), stays).decisions()
        options, channels = LocalOptions(by_replica=self.replica_count > 1), Channels(next_channel(module))
        patterns: list[RewritePattern] = [GatherDimensions({} if self.only_exchanges else decisions.gathers)]
        for pattern in exchanges:
            if pattern is ReverseOfWholeParts:
                patterns.append(ReverseOfWholeParts(decisions.exchanges, options, channels, Meshes(module)))
            else:
                patterns.append(pattern(decisions.exchanges, options, channels))
        return patterns
