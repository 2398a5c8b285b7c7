"""Copies of operations and regions, as `Operation.clone` and `Region.clone` make them."""

from collections.abc import Iterable
from typing import Any, TypeVar

from xdsl.ir import Block, Operation, Region, SSAValue

from xshardy.ir.blocks import fill_block, new_block, new_region
from xshardy.ir.operations import add_operands, add_regions, new_operation

OpT = TypeVar("OpT", bound=Operation)


def clone_operation(op: OpT, values: dict[SSAValue, SSAValue] | None = None) -> OpT:
    """
    A copy of `op` with all that is in it. Operands are replaced by their `values`, if they have one.

    The results and block arguments of `op` and of what is in it are added to `values`, with their copies.
    Name hints are copied as they are; xDSL removes a number at their end.
    """
    return _Cloner({} if values is None else values).clone([op])[0]


def clone_region(region: Region, values: dict[SSAValue, SSAValue] | None = None) -> Region:
    """As `clone_operation`, for a region."""
    cloner = _Cloner({} if values is None else values)
    copy = cloner.region(region)
    cloner.add_operands()
    return copy


class _Cloner:
    """
    One clone.

    Operands are added once all is copied: an operation may use what a later one defines.
    """

    def __init__(self, values: dict[SSAValue, SSAValue]):
        self._values = values
        self._blocks: dict[Block, Block] = {}
        self._copies: list[tuple[Operation, Operation]] = []
        """The operations that have operands or successors, each with its copy."""

    def clone(self, ops: Iterable[OpT]) -> list[OpT]:
        """Copies of `ops`, which are in no block."""
        copies = [self._operation(op) for op in ops]
        self.add_operands()
        return copies

    def region(self, region: Region) -> Region:
        blocks = list(region.blocks)
        copies = [self._block(block) for block in blocks]
        for block, copied in zip(blocks, copies, strict=True):
            fill_block(copied, [self._operation(op) for op in block.ops])
        return new_region(copies)

    def add_operands(self) -> None:
        """Give the copies their operands and successors."""
        values, blocks = self._values, self._blocks
        for op, copy in self._copies:
            if operands := op._operands:
                add_operands(copy, [values.get(operand, operand) for operand in operands])
            if successors := op._successors:
                copy.successors = [blocks.get(successor, successor) for successor in successors]

    def _block(self, block: Block) -> Block:
        copy = self._blocks[block] = new_block(block.arg_types)
        for argument, copied in zip(block.args, copy.args, strict=True):
            copied.location = argument.location
            copied._name = argument._name
            self._values[argument] = copied
        return copy

    def _operation(self, op: OpT) -> OpT:
        types: Any = [result._type for result in op.results]
        copy = new_operation(type(op), (), types, op.properties.copy(), op.attributes.copy(), op.location)
        for result, copied in zip(op.results, copy.results, strict=True):
            if (name := result._name) is not None:
                copied._name = name
            self._values[result] = copied
        if op._operands or op._successors:
            self._copies.append((op, copy))
        if op.regions:
            add_regions(copy, tuple([self.region(region) for region in op.regions]))
        return copy
