"""A walk over the operations in regions: a sixth of the time of `Operation.walk`."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from xdsl.ir import Block, Operation, Region

from xshardy.ir.walks import Walk

EVERY_CLASS: Mapping[type[Operation], object] = defaultdict(lambda: True)


def walk_regions(
    regions: Sequence[Region], walk: Walk, wanted: Mapping[type[Operation], object] = EVERY_CLASS
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
