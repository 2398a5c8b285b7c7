"""Select-and-scatter along sharded dimensions: each device gets all windows that reach its part, and their sources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import Dense
from xshardy.dialects.sdy.ops import ReshardOp
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.dialects.stablehlo.windows import WindowDimension
from xshardy.rewriting.captured import captured
from xshardy.transforms.sdy_partition.exchange.exchange_code import ExchangeCode
from xshardy.transforms.sdy_partition.exchange.exchanged_windows import neutral_element, windows_stay
from xshardy.transforms.sdy_partition.exchange.pattern import (
    NO_NEUTRAL_ELEMENT,
    READS_OUTSIDE,
    Gathered,
    has_same_axes,
    is_movable,
    manual_results,
    padded_input,
    part_size,
    sharded_dims,
)
from xshardy.transforms.sdy_partition.exchange.readings import Movement, Reading
from xshardy.transforms.sdy_partition.exchange.runs import Runs
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors


@dataclass(frozen=True, slots=True)
class ReachingWindows:
    """Along one dimension, by part: the first window that is computed there. All parts compute `count` windows."""

    firsts: Sequence[int]
    count: int
    window: WindowDimension
    part: int
    """The number of elements of a part."""

    @staticmethod
    def of(window: WindowDimension, part: int, parts: int) -> "ReachingWindows":
        """
        The windows that reach elements of each part, and as many more as it takes to cover the part.

        There may be none by some of the numbers: such windows have no source.
        """
        firsts = [(index * part - window.size) // window.stride + 1 for index in range(parts)]
        firsts = [min(first, index * part // window.stride) for index, first in enumerate(firsts)]
        ends = [(index + 1) * part for index in range(parts)]
        reached = [(end - 1) // window.stride + 1 - first for end, first in zip(ends, firsts, strict=True)]
        missing = [end - first * window.stride - window.size for end, first in zip(ends, firsts, strict=True)]
        covering = [-(-each // window.stride) + 1 for each in missing]
        return ReachingWindows(firsts, max(*reached, *covering), window, part)

    @property
    def elements(self) -> Reading:
        """What is read of the operand."""
        length = (self.count - 1) * self.window.stride + self.window.size
        return _reading([first * self.window.stride for first in self.firsts], length)

    @property
    def sources(self) -> Reading:
        """What is read of the source."""
        return _reading(self.firsts, self.count)

    @property
    def offsets(self) -> Sequence[int]:
        """By part: where it begins in what is read of the operand."""
        return [index * self.part - first * self.window.stride for index, first in enumerate(self.firsts)]


def _reading(starts: Sequence[int], length: int) -> Reading:
    return Reading(Runs(tuple(starts), (length,) * len(starts), length), 1, (0,) * len(starts), length)


@dataclass(frozen=True, slots=True)
class LocalWindowScatter:
    """The windows along each sharded dimension, and the exchanges of operand and source."""

    windows: Mapping[int, ReachingWindows]
    operand: Movement
    source: Movement
    no_source: Dense
    """What leaves elements as they are when it is scattered."""


class ExchangeOfSelectAndScatter(LocalPattern[stablehlo.SelectAndScatterOp, LocalWindowScatter]):
    """
    `select_and_scatter %x, %s` -> `manual_computation(%x, %s) { select_and_scatter (exchange %x), (exchange %s) }`

    Each device scatters from all windows that reach its part, and keeps its part.

    Requires: operand and result sharded alike; a combiner with a neutral element.

    Refuses: windows that reach beyond the tensor, since nothing says which padding `select` would never choose.
    """

    @staticmethod
    def decide(op: stablehlo.SelectAndScatterOp, before: WholeTensors) -> LocalWindowScatter | Gathered | None:
        (operand, source, initial), (target,) = before.operands, before.results
        if not is_movable(before) or not has_same_axes(operand, target) or not initial.is_replicated:
            return Gathered("operand and result are not sharded alike, or the initial value is")
        if any(source.axes(dim) not in ((), operand.axes(dim)) for dim in range(len(operand.shape))) or not (
            source.is_replicated or source.mesh == operand.mesh
        ):
            return Gathered("the source is sharded otherwise than the operand")
        windows = op.window()
        no_source = neutral_source(op)
        if no_source is None:
            return Gathered(NO_NEUTRAL_ELEMENT)
        if captured([op.select, op.scatter]):
            return Gathered(READS_OUTSIDE)
        if any(windows[dim].low or windows[dim].high for dim in sharded_dims(operand)):
            return Gathered("a window reaches beyond the tensor, and no padding is known that would not be selected")
        reaching = {
            dim: ReachingWindows.of(windows[dim], part_size(operand, dim), operand.parts(dim))
            for dim in sharded_dims(operand)
            if not windows_stay(windows[dim], dim, operand)
        }
        if not reaching and has_same_axes(operand, source):
            return None
        of_operand = Movement.of(operand, {dim: along.elements for dim, along in reaching.items()})
        divided = WholeTensor(source.type, operand.sharding, op)
        of_source = Movement.of(divided, {dim: along.sources for dim, along in reaching.items()})
        if isinstance(of_operand, Gathered):
            return of_operand
        if isinstance(of_source, Gathered):
            return of_source
        return LocalWindowScatter(reaching, of_operand, of_source, no_source)

    def rewrite(self, op: stablehlo.SelectAndScatterOp, decision: LocalWindowScatter, code: DeviceCode) -> None:
        operand, source = decision.operand.source, decision.source.source
        divided = code.insert(ReshardOp(op.source, operand.own_sharding))
        paddings = code.zero(tensor_type(op.operand).element_type), code.constant(decision.no_source)
        inputs = [
            padded_input(op.operand, operand, code),
            padded_input(divided, source, code, paddings[1]),
            *((value, None) for value in (op.init_value, *paddings)),
        ]

        def body(parts: Sequence[SSAValue]) -> Sequence[SSAValue]:
            part, sources, initial, nothing, no_source = parts
            read = decision.operand.windows(part, nothing, code)
            sources = decision.source.windows(sources, no_source, code)
            regions = [code.rewriter.move_region_contents_to_new_regions(region) for region in (op.select, op.scatter)]
            scattered = code.insert(stablehlo.SelectAndScatterOp(read, sources, initial, op.window(), *regions))
            for dim, along in decision.windows.items():
                exchange = ExchangeCode(dim, operand.axes(dim), operand.mesh, code)
                scattered = exchange.slice(scattered, along.offsets, along.part)
            return [scattered]

        code.replace(op, *manual_results(inputs, WholeTensors.of(op).results, body, code))


def neutral_source(op: stablehlo.SelectAndScatterOp) -> Dense | None:
    """A scalar that leaves elements as they are when it is scattered to them; None if none is known."""
    end = op.scatter.block.last_op
    if end is None or len(end.operands) != 1 or end.operands[0].type != op.init_value.type:
        return None
    return neutral_element(end.operands[0], {*op.scatter.block.args})
