"""Blocks with the operations in them, and regions."""

from collections.abc import Iterable, Sequence
from typing import Any

from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region

_new: Any = object.__new__


def new_block(argument_types: Iterable[Attribute] = (), location: LocationAttr = UNKNOWN_LOC) -> Block:
    """An empty block, with arguments of these types at `location`."""
    block: Block = _new(Block)
    block._first_op = block._last_op = None
    block._args = tuple(BlockArgument(type, block, index, location) for index, type in enumerate(argument_types))
    return block


def fill_block(block: Block, ops: Iterable[Operation]) -> None:
    """Put `ops`, which are in no block, into `block`, which is empty."""
    last: Operation | None = None
    for op in ops:
        op.parent = block
        if last is None:
            block._first_op = op
        else:
            last._next_op = op
            op._prev_op = last
        last = op
    block._last_op = last


def insert_arguments(block: Block, index: int, types: Iterable[Attribute]) -> Sequence[BlockArgument]:
    """
    Insert arguments of these types before the one at `index`, in one step, and return them.

    `Block.insert_arg` and `Block.erase_arg` copy all arguments: for n of them, n calls take n * n steps.
    """
    inserted = [BlockArgument(type, block, 0, UNKNOWN_LOC) for type in types]
    _set_arguments(block, [*block._args[:index], *inserted, *block._args[index:]])
    return inserted


def erase_arguments(block: Block, arguments: Iterable[BlockArgument]) -> None:
    """Erase `arguments` of `block`, which nothing uses, in one step."""
    erased = set(arguments)
    _set_arguments(block, [argument for argument in block._args if argument not in erased])
    for argument in erased:
        argument.erase()


def _set_arguments(block: Block, arguments: Iterable[BlockArgument]) -> None:
    block._args = tuple(arguments)
    for index, argument in enumerate(block._args):
        argument.index = index


def new_region(blocks: Sequence[Block]) -> Region:
    """A region of `blocks`, which are in no region."""
    region: Region = _new(Region)
    if blocks:
        region._first_block, region._last_block = blocks[0], blocks[-1]
    previous: Block | None = None
    for block in blocks:
        block.parent = region
        if previous is not None:
            previous._next_block = block
            block._prev_block = previous
        previous = block
    return region
