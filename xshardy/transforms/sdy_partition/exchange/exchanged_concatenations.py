"""Concatenations along sharded dimensions: parts get the elements that they need, of several operands."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from xdsl.ir import SSAValue

from xshardy.dialects import stablehlo
from xshardy.transforms.sdy_partition.exchange.exchange_code import ExchangeCode
from xshardy.transforms.sdy_partition.exchange.exchanged_movement import replace_by_exchange
from xshardy.transforms.sdy_partition.exchange.exchanges import (
    ExchangeStep,
    elements_sent,
    elements_turned,
    exchange,
    why_gather,
)
from xshardy.transforms.sdy_partition.exchange.pattern import Gathered, has_same_axes, is_movable, part_size
from xshardy.transforms.sdy_partition.exchange.readings import stored
from xshardy.transforms.sdy_partition.exchange.rotations import rotation_of
from xshardy.transforms.sdy_partition.exchange.runs import windows
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors


@dataclass(frozen=True, slots=True)
class Joined:
    """The exchanges of the operands; or that of the tensor whose slices they are, if they make a rotation of it."""

    step: ExchangeStep
    is_rotation: bool = False


class ExchangeOfConcatenate(LocalPattern[stablehlo.ConcatenateOp, Joined]):
    """
    `concatenate %x, %y` -> `manual_computation(%x, %y) { dynamic_update_slice %all, (collective_permute %x[0:3]) }`

    Each device fills `%all` with the elements of its part of the result, from all operands. A rotation, which is a
    concatenation of two slices, is one exchange of the tensor that is sliced.

    Requires: operands and result sharded alike.

    Refuses: exchanges that move no fewer elements than a gather, or than two all-to-alls.
    """

    @staticmethod
    def decide(op: stablehlo.ConcatenateOp, before: WholeTensors) -> Joined | Gathered | None:
        if (rotation := rotation_of(op)) is not None:
            return Joined(rotation, is_rotation=True)
        (target,), dim = before.results, op.dimension.value.data
        parts = target.parts(dim)
        if not is_movable(before) or parts == 1:
            return None
        if not all(source.mesh == target.mesh and has_same_axes(source, target) for source in before.operands):
            return None
        size = part_size(target, dim)
        read = windows(parts, size, 0, size)
        firsts = accumulate((source.shape[dim] for source in before.operands), initial=0)
        exchanges = [
            exchange(stored(source, dim).shifted(first), read)
            for source, first in zip(before.operands, firsts, strict=False)
        ]
        shape = [*target.part_shape]
        shape[dim] = sum(part_size(source, dim) for source in before.operands)
        step = ExchangeStep(dim, parts, tuple(exchanges))
        can_turn = any(
            target.parts(other) == 1 and extent and extent % parts == 0
            for other, extent in enumerate(target.shape)
            if other != dim
        )
        if can_turn and elements_turned(shape, parts) < elements_sent(shape, [step]):
            return Gathered("two all-to-alls, which the reshards become, send fewer elements")
        why = why_gather(shape, [step])
        return Joined(step) if why is None else Gathered(why)

    def rewrite(self, op: stablehlo.ConcatenateOp, decision: Joined, code: DeviceCode) -> None:
        (target,), step = WholeTensors.of(op).results, decision.step
        slices = [value.owner for value in op.inputs if isinstance(value.owner, stablehlo.SliceOp)]
        values = [slices[0].operand] if decision.is_rotation else op.inputs

        def body(parts: Sequence[SSAValue], padding: SSAValue) -> SSAValue:
            along = ExchangeCode(step.dim, target.axes(step.dim), target.mesh, code)
            return along.read([*zip(parts, step.exchanges, strict=True)], padding)

        replace_by_exchange(op, values, None, target, body, code)
        for unread in slices:
            if not unread.result.uses:
                code.rewriter.erase(unread)
