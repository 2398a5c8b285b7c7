"""
When values are read last, so that an interpreter can forget them: a program has far more values than live at a time.
"""

from collections.abc import Mapping, Sequence

from xdsl.ir import Block, Operation, SSAValue


def values_by_last_reader(block: Block) -> Mapping[Operation, Sequence[SSAValue]]:
    """
    The results of the ops of `block`, by the op of `block` that reads them last, itself or in one of its regions.

    A value that nobody reads is with the op that makes it. What the terminator reads is with the terminator.
    """
    order = {op: position for position, op in enumerate(block.ops)}
    result: dict[Operation, list[SSAValue]] = {}
    for op in block.ops:
        for value in op.results:
            readers = (block.find_ancestor_op_in_block(use.operation) for use in value.uses)
            last = max((reader for reader in readers if reader), key=order.__getitem__, default=op)
            result.setdefault(last, []).append(value)
    return result
