"""
Insertion and removal of operations in constant time, and moves of them in linear time.

`Block.insert_op_before` of xDSL 0.75 first walks from the block up to the root, to make sure that it does not insert an
operation into itself: in n nested regions, n insertions take n * n steps. No pattern does that, so it is not checked.
"""

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint


def insert_op(op: Operation, point: InsertPoint) -> None:
    """Insert `op` at `point`. Raises `ValueError` if it is in a block already. Precondition: `point` is not in `op`."""
    if (following := point.insert_before) is not None:
        insert_before(op, following)
        return
    _check_detached(op)
    op.parent = point.block
    _link(op, op, point)


def insert_before(op: Operation, following: Operation) -> None:
    """The same, before an operation that is in a block: without an `InsertPoint`, for half of the time."""
    _check_detached(op)
    op.parent = block = following.parent
    op._prev_op, op._next_op = previous, _ = following._prev_op, following
    following._prev_op = op
    if previous is not None:
        previous._next_op = op
    elif block is not None:
        block._first_op = op


def detach_op(op: Operation) -> None:
    """Take `op` out of its block. Precondition: it is in one."""
    block, before, after = op.parent, op._prev_op, op._next_op
    assert block is not None
    if before is None:
        block._first_op = after
    else:
        before._next_op = after
    if after is None:
        block._last_op = before
    else:
        after._prev_op = before
    op.parent = op._prev_op = op._next_op = None


def inline_block(source: Block, point: InsertPoint, arguments: Sequence[SSAValue]) -> Sequence[Operation]:
    """
    Move the operations of `source` to `point` in another block, and erase `source`.

    They read `arguments` in the place of those of `source`, if any are given. Returns the operations. Linear in them,
    and in the uses of the arguments.
    """
    for argument, value in zip(source.args, arguments, strict=bool(arguments)):
        argument.replace_all_uses_with(value)
    if moved := tuple(source.ops):
        for op in moved:
            op.parent = point.block
        source._first_op = source._last_op = None
        _link(moved[0], moved[-1], point)
    if (region := source.parent) is not None:
        region.detach_block(source)
    source.erase()
    return moved


def _check_detached(op: Operation) -> None:
    if op.parent is not None:
        raise ValueError(f"{op.name} is already in a block: detach it before it is inserted again")


def _link(first: Operation, last: Operation, point: InsertPoint) -> None:
    """Make the operations from `first` to `last`, which are linked to each other, neighbours of those at `point`."""
    block, following = point.block, point.insert_before
    previous = block.last_op if following is None else following.prev_op
    first._prev_op, last._next_op = previous, following
    if previous is None:
        block._first_op = first
    else:
        previous._next_op = first
    if following is None:
        block._last_op = last
    else:
        following._prev_op = last
