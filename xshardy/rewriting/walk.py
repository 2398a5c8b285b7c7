"""Walks over the operations of a module, for passes that look at every one: a sixth of the time of `Operation.walk`."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar, cast

from xdsl.ir import Block, Operation, Region

from xshardy.rewriting.walks import FORWARD, INNER_FIRST, Walk

OperationT = TypeVar("OperationT", bound=Operation)

_EVERY_CLASS: Mapping[type[Operation], object] = defaultdict(lambda: True)


def walk_regions(
    regions: Sequence[Region], walk: Walk, wanted: Mapping[type[Operation], object] = _EVERY_CLASS
) -> list[Operation]:
    """
    The operations in `regions` whose class `wanted` maps to something true, in the order of `walk`.

    Linear in the operations, however deep they are nested. Hot path: follows the links of xDSL's lists, without its
    properties and iterators.
    """
    found: list[Operation] = []
    # The reverse of a walk with outer operations first visits inner ones first.
    inner_first = walk.walk_regions_first != walk.walk_reverse
    around: list[tuple[Operation, Block, Iterator[Region]]] = []
    """The operations whose regions are being read, their blocks, and the regions after the one being read."""
    following: Iterator[Region] = iter(regions)
    block: Block | None = None
    op: Operation | None = None
    while True:
        while op is None:
            if block is not None:
                block = block._next_block  # pyright: ignore[reportPrivateUsage]
            if block is not None:
                op = block._first_op  # pyright: ignore[reportPrivateUsage]
            elif (region := next(following, None)) is not None:
                if (block := region._first_block) is not None:  # pyright: ignore[reportPrivateUsage]
                    op = block._first_op  # pyright: ignore[reportPrivateUsage]
            elif around:
                outer, block, following = around.pop()
                if inner_first and wanted[type(outer)]:
                    found.append(outer)
                op = outer._next_op  # pyright: ignore[reportPrivateUsage]
            else:
                if walk.walk_reverse:
                    found.reverse()
                return found
        if not op.regions:
            if wanted[type(op)]:
                found.append(op)
            op = op._next_op  # pyright: ignore[reportPrivateUsage]
        else:
            if not inner_first and wanted[type(op)]:
                found.append(op)
            around.append((op, cast(Block, block), following))
            following = iter(op.regions)
            op = block = None


def operations_from(root: Operation, walk: Walk = FORWARD) -> list[Operation]:
    """`root` and the operations in it, in the order of `walk`."""
    inside = walk_regions(root.regions, walk)
    return [*inside, root] if walk.walk_regions_first else [root, *inside]


def operations_in(root: Operation, *, inner_first: bool = False) -> list[Operation]:
    """The operations in the regions of `root`, without itself, in the order of the text; or each after those in it."""
    return walk_regions(root.regions, INNER_FIRST if inner_first else FORWARD)


def operations_of(root: Operation, *kinds: type[OperationT], inner_first: bool = False) -> list[OperationT]:
    """Those of the operations in `root` whose class is one of `kinds`, not a class below it."""
    wanted = defaultdict[type[Operation], bool](bool, dict.fromkeys(kinds, True))
    found = walk_regions(root.regions, INNER_FIRST if inner_first else FORWARD, wanted)
    return cast(list[OperationT], found)
