"""Walks over the operations of a module, for passes that look at every one: a sixth of the time of `Operation.walk`."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TypeVar, cast

from xdsl.ir import Block, Operation, Region

from xshardy.rewriting.walks import FORWARD, INNER_FIRST, Walk

OperationT = TypeVar("OperationT", bound=Operation)


class _ClassesBelow(dict[type[Operation], bool]):
    """By class, whether it is one of `kinds` or below one: `issubclass`, which takes long for abstract classes."""

    def __init__(self, kinds: tuple[type, ...]):
        super().__init__()
        self._kinds = kinds

    def __missing__(self, op_type: type[Operation]) -> bool:
        found = self[op_type] = issubclass(op_type, self._kinds)
        return found


_classes_below = cache(_ClassesBelow)
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


def operations_below(root: Operation, *kinds: type, inner_first: bool = False) -> list[Operation]:
    """Those of the operations in `root` whose class is one of `kinds`, or below one of them."""
    return walk_regions(root.regions, INNER_FIRST if inner_first else FORWARD, _classes_below(kinds))
