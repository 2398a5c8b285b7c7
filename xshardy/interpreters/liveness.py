"""
The last reader of each value.

An interpreter drops values there, because few of a program's values are live at a time.
"""

from collections.abc import Mapping, Sequence

from xdsl.ir import Block, Operation, SSAValue


def values_by_last_reader(block: Block) -> Mapping[Operation, Sequence[SSAValue]]:
    """
    The results of the ops of `block`, by their last reader in `block`; ops in its regions count as the reader.

    An unused value belongs to its own op. Values read by the terminator belong to the terminator.
    """
    order = {op: position for position, op in enumerate(block.ops)}
    result: dict[Operation, list[SSAValue]] = {}
    for op in block.ops:
        for value in op.results:
            readers = (block.find_ancestor_op_in_block(use.operation) for use in value.uses)
            last = max((reader for reader in readers if reader), key=order.__getitem__, default=op)
            result.setdefault(last, []).append(value)
    return result
