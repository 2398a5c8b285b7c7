"""Walks over the operations of a module, for passes that look at every one: a third of the time of `Operation.walk`."""

from collections.abc import Iterator
from typing import TypeVar

from xdsl.ir import Operation, Region

from xshardy.rewriting.walks import FORWARD, INNER_FIRST, Walk

OperationT = TypeVar("OperationT", bound=Operation)


def walk_region(region: Region, walk: Walk) -> Iterator[Operation]:
    """The operations in `region`, in the order of `walk`."""
    if walk.walk_reverse:
        yield from region.walk(reverse=True, region_first=walk.walk_regions_first)
        return
    for block in region.blocks:
        op = block.first_op
        while op is not None:
            following = op.next_op
            if not op.regions:
                yield op
            elif walk.walk_regions_first:
                for inner in op.regions:
                    yield from walk_region(inner, walk)
                yield op
            else:
                yield op
                for inner in op.regions:
                    yield from walk_region(inner, walk)
            op = following


def operations_in(root: Operation, *, inner_first: bool = False) -> Iterator[Operation]:
    """The operations in the regions of `root`, without itself, in the order of the text; or each after those in it."""
    for region in root.regions:
        yield from walk_region(region, INNER_FIRST if inner_first else FORWARD)


def operations_of(root: Operation, *kinds: type[OperationT], inner_first: bool = False) -> Iterator[OperationT]:
    """Those of the operations in `root` whose class is one of `kinds`, not a class below it."""
    wanted = frozenset[type](kinds)
    return (op for op in operations_in(root, inner_first=inner_first) if type(op) in wanted)  # pyright: ignore[reportReturnType]
