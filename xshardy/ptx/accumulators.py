"""
Registers of `wgmma` that are used before the product is complete, or with no fence between: its accumulators, and A.

Products belong to groups of a warp; see `wgmma.commit_group`, `wgmma.wait_group`. Other products may use the same
accumulators before. A `wgmma.fence` must be before the first product, and between other uses of its registers and it;
`mov` does not count, since compilers copy registers behind the fence. Source: PTX ISA, "Async Proxy",
`wgmma.mma_async`, `wgmma.fence`.
"""

from collections.abc import Iterator

import numpy as np

from xshardy.gpus.sizes import WARP_SIZE
from xshardy.numerics.element_types import Array
from xshardy.ptx.faults import FaultKind, Faults
from xshardy.ptx.instructions.row import Scope
from xshardy.ptx.instructions.table import name_of, row_of
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.module import Address, Instruction, Integer, Negated, Operand, Pair, Register, Tensor, Vector


class PendingProducts:
    """A counter that reports faults: it is told which instructions are executed."""

    def __init__(self, instructions: tuple[Instruction, ...], faults: Faults):
        self.instructions, self.faults = instructions, faults
        self._names = [frozenset(_names_in(instruction)) for instruction in instructions]
        self._of_groups = [row_of(instruction).scope is Scope.WARP_GROUP for instruction in instructions]
        """Whether each instruction is one of `wgmma`."""
        of_products = {name for each in instructions for name in _names_of_product(each)}
        self._touched = [
            names & of_products if name_of(instruction) != "mov" else frozenset[str]()
            for names, instruction in zip(self._names, instructions, strict=True)
        ]
        """The registers of products that each instruction uses."""
        self._waits = [_groups_left(instruction) for instruction in instructions]
        self._lanes: Lanes | None = None
        self._groups: dict[str, Array] = {}
        """Of each register of a product that may not be complete, the number of its group in each warp, from 1 on."""
        self._committed = self._complete = np.zeros(0, np.int32)
        """The number of the last group of each warp, and of the last one that it has waited for."""
        self._unfenced: dict[str, Array] = {}
        """Of each register of a product, the warps that have used it since their last fence."""
        self._has_fenced = np.zeros(0, np.bool_)

    def __call__(self, lanes: Lanes, first: int, end: int) -> None:
        """Follow the instructions from number `first` up to `end`, executed by the active threads."""
        if lanes is not self._lanes:
            warps = lanes.shape[0] * -(-lanes.shape[1] // WARP_SIZE)
            self._lanes, self._groups = lanes, {}
            self._committed, self._complete = np.zeros(warps, np.int32), np.zeros(warps, np.int32)
            self._unfenced, self._has_fenced = {}, np.zeros(warps, np.bool_)
        for number in range(first, end):
            if self._of_groups[number]:
                self._follow(lanes, number)
                continue
            if self._groups and not self._names[number].isdisjoint(self._groups):
                self._check(lanes, number)
            for name in self._touched[number]:
                unfenced = self._unfenced.setdefault(name, np.zeros_like(self._has_fenced))
                unfenced |= self._active_warps(lanes)

    def _follow(self, lanes: Lanes, number: int) -> None:
        instruction, active = self.instructions[number], self._active_warps(lanes)
        name = name_of(instruction)
        if name == "wgmma.fence":
            self._has_fenced |= active
            for unfenced in self._unfenced.values():
                unfenced &= ~active
        elif name == "wgmma.mma_async":
            what = "multiplies with no wgmma.fence before"
            self._report(lanes, number, active & ~self._has_fenced, what)
            for register in _names_of_product(instruction):
                if (unfenced := self._unfenced.get(register)) is not None:
                    what = f"multiplies with no wgmma.fence since it used {register}"
                    self._report(lanes, number, active & unfenced, what)
                groups = self._groups.setdefault(register, np.zeros_like(self._committed))
                groups[active] = self._committed[active] + 1
        elif name == "wgmma.commit_group":
            self._committed[active] += 1
        elif (left := self._waits[number]) is not None:
            self._complete[active] = np.maximum(self._complete[active], self._committed[active] - left)
            pending = {name: groups for name, groups in self._groups.items() if (groups > self._complete).any()}
            self._groups = pending

    def _check(self, lanes: Lanes, number: int) -> None:
        """Report the use of registers of products that are not complete."""
        active = self._active_warps(lanes)
        for name in self._names[number] & self._groups.keys():
            what = f"uses {name} before it has waited for the wgmma that uses it"
            self._report(lanes, number, active & (self._groups[name] > self._complete), what)

    def _report(self, lanes: Lanes, number: int, warps: Array, what: str) -> None:
        """Report what warps do wrong, if there are any."""
        if warps.any():
            threads = lanes.of_warps(np.repeat(warps[:, None], WARP_SIZE, axis=1)) & lanes.active_mask()
            self.faults.report(FaultKind.PENDING, self.instructions[number].line, lanes, threads, lambda _: what)

    def _active_warps(self, lanes: Lanes) -> Array:
        return lanes.warps(lanes.active_mask()).any(axis=-1).reshape(-1)


def _names_of_product(instruction: Instruction) -> Iterator[str]:
    """The registers of the matrices of a product; none for other instructions."""
    if name_of(instruction) == "wgmma.mma_async":
        for operand in instruction.operands[:2]:
            yield from _names(operand) if isinstance(operand, Vector) else ()


def _names_in(instruction: Instruction) -> Iterator[str]:
    """The registers of an instruction."""
    for operand in instruction.operands:
        yield from _names(operand)
    if instruction.guard is not None:
        yield instruction.guard.register.name


def _names(operand: Operand) -> Iterator[str]:
    match operand:
        case Register(name) | Negated(Register(name)) | Address(Register(name)):
            yield name
        case Vector(elements):
            for element in elements:
                yield from _names(element)
        case Pair(first, second):
            yield from _names(first)
            yield from _names(second)
        case Tensor(map, coordinates):
            yield from _names(map)
            yield from _names(coordinates)
        case _:
            return


def _groups_left(instruction: Instruction) -> int | None:
    """How many groups an instruction does not wait for; None for other instructions."""
    match instruction.operands:
        case (Integer(left),) if name_of(instruction) == "wgmma.wait_group":
            return left
        case _:
            return None
