"""Walks over the operations of a module, for passes that look at every one: a third of the time of `Operation.walk`."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TypeVar

from xdsl.ir import Block, Operation, Region

from xshardy.rewriting.walks import FORWARD, INNER_FIRST, Walk

OperationT = TypeVar("OperationT", bound=Operation)


def walk_region(region: Region, walk: Walk) -> Iterator[Operation]:
    """
    The operations in `region`, in the order of `walk`. Linear in them, however deep they are nested.

    An operation may be erased when it is visited: what follows it is read before, what is in it afterwards.
    """
    reverse, inner_first = walk.walk_reverse, walk.walk_regions_first
    around: list[tuple[Operation, Operation | None, Iterator[Block]]] = []
    """The operations whose regions are being visited, what follows each in its block, and the blocks after that."""
    blocks = blocks_of((region,), reverse)
    op: Operation | None = None
    while True:
        while op is None:
            if (block := next(blocks, None)) is not None:
                op = block.last_op if reverse else block.first_op
            elif around:
                outer, op, blocks = around.pop()
                if inner_first:
                    yield outer
            else:
                return
        following = op.prev_op if reverse else op.next_op
        if not op.regions:
            yield op
            op = following
        else:
            if not inner_first:
                yield op
            around.append((op, following, blocks))
            blocks = blocks_of(op.regions, reverse)
            op = None


def blocks_of(regions: Sequence[Region], reverse: bool = False) -> Iterator[Block]:
    """The blocks of `regions`, in the order of the text or in reverse."""
    if reverse:
        return chain.from_iterable(reversed(region.blocks) for region in reversed(regions))
    return chain.from_iterable(region.blocks for region in regions)


def operations_from(root: Operation, walk: Walk = FORWARD) -> Iterator[Operation]:
    """`root` and the operations in it, in the order of `walk`."""
    if not walk.walk_regions_first:
        yield root
    for region in reversed(root.regions) if walk.walk_reverse else root.regions:
        yield from walk_region(region, walk)
    if walk.walk_regions_first:
        yield root


def operations_in(root: Operation, *, inner_first: bool = False) -> Iterator[Operation]:
    """The operations in the regions of `root`, without itself, in the order of the text; or each after those in it."""
    walk = INNER_FIRST if inner_first else FORWARD
    return chain.from_iterable(walk_region(region, walk) for region in root.regions)


def operations_of(root: Operation, *kinds: type[OperationT], inner_first: bool = False) -> Iterator[OperationT]:
    """Those of the operations in `root` whose class is one of `kinds`, not a class below it."""
    wanted = frozenset[type](kinds)
    return (op for op in operations_in(root, inner_first=inner_first) if type(op) in wanted)  # pyright: ignore[reportReturnType]
