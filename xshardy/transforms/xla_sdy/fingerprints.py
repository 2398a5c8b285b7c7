"""What two regions have in common that compute the same, whatever their shardings are."""

from collections.abc import Hashable, Mapping

from xdsl.ir import Block, Operation, Region, SSAValue

from xshardy.dialects.sdy.value_shardings import SHARDING

SHARDINGS = frozenset({SHARDING, "in_shardings", "out_shardings", "sharding", "out_sharding"})
"""Attributes and properties that say where values are, not what they are."""


def fingerprint(region: Region) -> Hashable:
    """Equal for regions with the same operations on the same values, up to shardings. Linear in the operations."""
    numbers: dict[SSAValue, int] = {}
    blocks: dict[Block, int] = {}
    return _of_region(region, numbers, blocks)


def _of_region(region: Region, numbers: dict[SSAValue, int], blocks: dict[Block, int]) -> Hashable:
    for block in region.blocks:
        blocks[block] = len(blocks)
    parts: list[Hashable] = []
    for block in region.blocks:
        for argument in block.args:
            numbers[argument] = len(numbers)
        operations = tuple(_of_operation(op, numbers, blocks) for op in block.ops)
        parts.append((tuple(block.arg_types), operations))
    return tuple(parts)


def _of_operation(op: Operation, numbers: dict[SSAValue, int], blocks: dict[Block, int]) -> Hashable:
    # A value from outside of the region is itself.
    operands = tuple(numbers.get(operand, operand) for operand in op.operands)
    successors = tuple(blocks.get(block, block) for block in op.successors)
    for result in op.results:
        numbers[result] = len(numbers)
    regions = tuple(_of_region(region, numbers, blocks) for region in op.regions)
    return op.name, operands, op.result_types, successors, _kept(op.properties), _kept(op.attributes), regions


def _kept(attributes: Mapping[str, Hashable]) -> Hashable:
    return frozenset((name, value) for name, value in attributes.items() if name not in SHARDINGS)
