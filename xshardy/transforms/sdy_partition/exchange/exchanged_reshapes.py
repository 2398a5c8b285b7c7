"""Reshapes of which parts of the result need elements of other parts: each group of dimensions is exchanged as one."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.transforms.sdy_partition.exchange.exchange_code import ExchangeCode
from xshardy.transforms.sdy_partition.exchange.exchanges import ExchangeStep, exchange, why_gather
from xshardy.transforms.sdy_partition.exchange.pattern import (
    NEEDS_RESHARDS,
    Gathered,
    manual_results,
    padded_input,
    part_size,
)
from xshardy.transforms.sdy_partition.exchange.reshape_groups import ReshapeGroup, reshape_groups
from xshardy.transforms.sdy_partition.exchange.reshapes import MovedGroups, axes_of, runs_of
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors


@dataclass(frozen=True, slots=True)
class MovedElements:
    """The exchange along each group of dimensions, and all groups, in order."""

    moved: MovedGroups
    groups: Sequence[ReshapeGroup]
    steps: Sequence[ExchangeStep]
    """Their dimensions are those of a tensor with one for each group."""


class ExchangeOfReshape(LocalPattern[stablehlo.ReshapeOp, MovedElements]):
    """
    `reshape %x` -> `manual_computation(%x) { reshape (exchange (reshape %part)) }`

    Dimensions that move together are exchanged as one.

    Requires: groups of dimensions that have the same axes on both sides, and parts of consecutive elements.

    Refuses: exchanges that move no fewer elements than a gather.
    """

    @staticmethod
    def decide(op: stablehlo.ReshapeOp, before: WholeTensors) -> MovedElements | Gathered | None:
        moved = MovedGroups.of(before)
        if moved is None:
            return Gathered(NEEDS_RESHARDS)
        source, target = moved.source, moved.target
        groups = [*reshape_groups(source.shape, target.shape)]
        steps: list[ExchangeStep] = []
        for group in moved.groups:
            stored, read = runs_of(source, group.operand), runs_of(target, group.result)
            if stored is None or read is None:
                return Gathered("the parts of dimensions that move together are no runs of elements")
            steps.append(ExchangeStep(groups.index(group), len(stored.starts), (exchange(stored, read),)))
        shape = [prod(part_size(source, dim) for dim in group.operand) for group in groups]
        why = why_gather(shape, steps)
        return MovedElements(moved, groups, steps) if why is None else Gathered(why)

    def rewrite(self, op: stablehlo.ReshapeOp, decision: MovedElements, code: DeviceCode) -> None:
        source, target = decision.moved.source, decision.moved.target
        element = tensor_type(op.operand).element_type

        def body(parts: Sequence[SSAValue]) -> Sequence[SSAValue]:
            own, padding = parts
            shape = [prod(part_size(source, dim) for dim in group.operand) for group in decision.groups]
            value = own if tuple(shape) == tensor_type(own).get_shape() else code.reshaped(own, shape, element)
            for step in decision.steps:
                axes = axes_of(source, decision.groups[step.dim].operand)
                value = ExchangeCode(step.dim, axes, source.mesh, code).read([(value, step.exchanges[0])], padding)
            return [code.reshaped(value, target.part_shape, element)]

        inputs = [padded_input(op.operand, source, code), (code.zero(element), None)]
        code.replace(op, *manual_results(inputs, [target], body, code))
