"""Walks over the operations of a module, for passes that look at every one, or at those of some classes."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TypeVar, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, Region

from xshardy.ir.region_walk import EVERY_CLASS, walk_regions
from xshardy.ir.walks import FORWARD, INNER_FIRST, Walk
from xshardy.rewriting.held_attributes import HeldAttributes
from xshardy.rewriting.operation_index import index_over

OperationT = TypeVar("OperationT", bound=Operation)


class _Classes(dict[type[Operation], bool]):
    """By class, whether `takes` holds for it: it is called once for each, since tests of classes may take long."""

    def __init__(self, takes: Callable[[type[Operation]], bool]):
        super().__init__()
        self._takes = takes

    def __missing__(self, op_type: type[Operation]) -> bool:
        found = self[op_type] = self._takes(op_type)
        return found


_classes = cache(_Classes)


@cache
def _classes_below(kinds: tuple[type, ...]) -> _Classes:
    return _Classes(lambda op_type: issubclass(op_type, kinds))


def walk_inside(root: Operation, walk: Walk, wanted: Mapping[type[Operation], object] = EVERY_CLASS) -> list[Operation]:
    """The operations in `root`, without itself, whose class `wanted` maps to something true, in the order of `walk`."""
    index = index_over(root)
    return walk_regions(root.regions, walk, wanted) if index is None else index.select(root, walk, wanted)


def operations_from(root: Operation, walk: Walk = FORWARD) -> list[Operation]:
    """`root` and the operations in it, in the order of `walk`."""
    inside = walk_inside(root, walk)
    return [*inside, root] if walk.walk_regions_first else [root, *inside]


def operations_in(root: Operation, *, inner_first: bool = False) -> list[Operation]:
    """The operations in the regions of `root`, without itself, in the order of the text; or each after those in it."""
    return walk_inside(root, INNER_FIRST if inner_first else FORWARD)


def operations_of(root: Operation, *kinds: type[OperationT], inner_first: bool = False) -> list[OperationT]:
    """Those of the operations in `root` whose class is one of `kinds`, not a class below it."""
    wanted = defaultdict[type[Operation], bool](bool, dict.fromkeys(kinds, True))
    found = walk_inside(root, INNER_FIRST if inner_first else FORWARD, wanted)
    return cast(list[OperationT], found)


def operations_below(root: Operation, *kinds: type, inner_first: bool = False) -> list[Operation]:
    """Those of the operations in `root` whose class is one of `kinds`, or below one of them."""
    return walk_inside(root, INNER_FIRST if inner_first else FORWARD, _classes_below(kinds))


def operations_that(
    takes: Callable[[type[Operation]], bool], root: Operation, *, inner_first: bool = False
) -> list[Operation]:
    """Those of the operations in `root` for whose class `takes`, a function of a module, holds."""
    return walk_inside(root, INNER_FIRST if inner_first else FORWARD, _classes(takes))


def held_attributes_in(root: Operation | Region) -> HeldAttributes:
    """The attributes that the operations in `root` hold, without itself: from the index, if a pipeline has one."""
    if isinstance(root, Region):
        return HeldAttributes(walk_regions((root,), FORWARD))
    index = index_over(root) if isinstance(root, ModuleOp) else None
    return HeldAttributes(operations_in(root)) if index is None else index.held_attributes()


def attributes_on(ops: Iterable[Operation]) -> dict[int, Attribute]:
    """The properties and attributes of `ops`, by identity, each where it comes first. Operations share attributes."""
    found: dict[int, Attribute] = {}
    for op in ops:
        for attribute in op.properties.values():
            found[id(attribute)] = attribute
        for attribute in op.attributes.values():
            found[id(attribute)] = attribute
    return found
