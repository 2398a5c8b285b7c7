"""
The facts that decide the choice of an emitter: the results of a fusion, and the hero behind each.

Source: XLA:GPU's fusion analysis; rows XGPU-02, XGPU-46.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from xshardy.dialects import hlo
from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.shape import ReshapeOp
from xshardy.emitters.elemental.kinds import bits_in_memory, element_type_of
from xshardy.emitters.launch_dimensions import LaunchDimensions, loop_launch_dimensions
from xshardy.emitters.partition import Partition, roots_of
from xshardy.gpus.devices import Device
from xshardy.indexing.tensor_maps import minor_to_major, row_major

MAX_INTERMEDIATE_OPERANDS = 3
"""The maximal number of operands of an operation between a hero and a result."""


@dataclass(frozen=True, eq=False)
class Fusion:
    """A fused computation and its target device."""

    computation: FuncOp
    device: Device
    refused: dict[str, str] = field(default_factory=dict[str, str])
    """Why emitters whose hero the computation has do not take it, by their names."""

    def because(self, emitter: str, reason: str) -> None:
        """Say why `emitter` does not take the fusion, although it has a hero for it."""
        self.refused[emitter] = reason

    @cached_property
    def roots(self) -> tuple[SSAValue, ...]:
        """The results of the computation."""
        return roots_of(self.computation)

    @cached_property
    def narrowest_input(self) -> int | None:
        """The width of the narrowest element read, in bits; None without inputs."""
        return min((bits_in_memory(value.type) for value in self.computation.body.block.args), default=None)

    @cached_property
    def narrowest_output(self) -> int:
        """The width of the narrowest element written, in bits."""
        return min(bits_in_memory(root.type) for root in self.roots)

    def loop_launch(self, over: SSAValue, written: Sequence[SSAValue]) -> LaunchDimensions:
        """The launch of a loop over the elements of `over` that writes elements of `written`."""
        types = [element_type_of(value.type) for value in written]
        return loop_launch_dimensions(shape_of(over), types, self.computation.body.block.ops, self.device)

    def only_hero(self, root: SSAValue, is_hero: Callable[[Operation], bool]) -> Operation | None:
        """
        The only operation behind `root` for which `is_hero` holds, through intermediate operations.

        None if there are several, or if a transitive user of it is not intermediate.
        """
        hero: Operation | None = None
        pending, seen = [root.owner], set[Operation]()
        while pending:
            owner = pending.pop()
            if not isinstance(owner, Operation) or owner in seen:
                continue
            seen.add(owner)
            if is_hero(owner):
                if hero is not None:
                    return None
                hero = owner
            elif is_intermediate(owner, MAX_INTERMEDIATE_OPERANDS):
                pending += [operand.owner for operand in owner.operands]
        return hero if hero is not None and _only_used_by_intermediates(hero) else None


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen emitter, its hero if any, and the reason in words."""

    emitter: str
    hero: Operation | None
    reason: str
    emit: Callable[[str], "Emission"]
    """Takes the name of the kernel."""
    refused: Mapping[str, str] = field(default_factory=dict[str, str])
    """Why other emitters, which come first, were not chosen: by their names, where there is a hero for them."""


@dataclass(frozen=True, slots=True)
class Emission:
    """An emitted kernel: its module, and the partition of the computation, whose functions are in it."""

    module: ModuleOp
    partition: Partition


def behind_intermediates(value: SSAValue) -> list[SSAValue]:
    """The operands along the chain of one-operand intermediate operations that computes `value`, nearest first."""
    values: list[SSAValue] = []
    while is_intermediate(value.owner, 1):
        assert isinstance(value.owner, Operation)
        (value,) = value.owner.operands
        values.append(value)
    return values


def is_intermediate(op: object, operands: int) -> bool:
    """Whether `op` is elementwise and has at most `operands` operands."""
    if not isinstance(op, Operation) or not 1 <= len(op.operands) <= operands:
        return False
    if isinstance(op, hlo.CopyOp):
        return minor_to_major(op.results[0]) == minor_to_major(op.operands[0])
    if isinstance(op, hlo.BitcastOp) or op.has_trait(Elementwise):
        return True
    return isinstance(op, ReshapeOp) and all(
        minor_to_major(value) == row_major(shape_of(value)) for value in (op.operand, op.result)
    )


def _only_used_by_intermediates(hero: Operation) -> bool:
    pending, seen = [hero], {hero}
    while pending:
        for result in pending.pop().results:
            for use in result.uses:
                user = use.operation
                if user in seen or isinstance(user, ReturnOp):
                    continue
                if not is_intermediate(user, MAX_INTERMEDIATE_OPERANDS):
                    return False
                seen.add(user)
                pending.append(user)
    return True


def behind_bitcasts(value: SSAValue) -> SSAValue:
    """The first value that bitcasts to `value`; `value` itself if it is no bitcast."""
    while isinstance(value.owner, hlo.BitcastOp):
        value = value.owner.operand
    return value


def elements_in(value: SSAValue) -> int:
    """The number of elements of a tensor."""
    return prod(shape_of(value))
