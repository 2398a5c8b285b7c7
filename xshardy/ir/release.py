"""
Release of operations that nothing will read again: their memory is free at once, and not after a garbage collection.

An operation and its results refer to each other, as do the operations of a block, so reference counting alone frees
none of them. A collection traverses all objects of the process to find them.
"""

from xdsl.ir import Operation, OpResult
from xdsl.ir.core import SSAValues

from xshardy.ir.region_walk import walk_regions
from xshardy.ir.walks import FORWARD

_NO_RESULTS: SSAValues[OpResult] = SSAValues()
_NO_VALUES: SSAValues = SSAValues()


def release(root: Operation) -> None:
    """Take `root` apart, with all that is in it. No operation outside of it uses its results."""
    if root.regions:
        for op in walk_regions(root.regions, FORWARD):
            for use in op._operand_uses:
                use._prev_use = None
            op.results, op._operands = _NO_RESULTS, _NO_VALUES
            op._operand_uses = op._successor_uses = op._successors = ()
            op._next_op = op._prev_op = op.parent = None
            _release_regions(op)
        _release_regions(root)
    root.results = _NO_RESULTS


def _release_regions(op: Operation) -> None:
    for region in op.regions:
        region.parent = None
        block = region._first_block
        region._first_block = region._last_block = None
        while block is not None:
            block.parent = block._first_op = block._last_op = block._prev_block = None
            block._args = ()
            block._next_block, block = None, block._next_block
    op.regions = ()
