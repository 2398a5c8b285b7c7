"""
The operations of a module in the order of a walk, kept while a pipeline runs: most passes change attributes only, erase
operations, or insert some of few classes, and take operations of few classes.
"""

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from itertools import chain

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region

from xshardy.rewriting.region_walk import walk_regions
from xshardy.rewriting.walks import FORWARD, INNER_FIRST, Walk


class _Order:
    """The operations in a module in one order, and where in it those of each class are."""

    def __init__(self, module: ModuleOp, walk: Walk):
        self._ops: list[Operation] = []
        self._inside: dict[Operation, tuple[int, int]] = {module: (0, 0)}
        """For the module and each operation at its top: where those in it start and end."""
        for op in module.ops:
            if not walk.walk_regions_first:
                self._ops.append(op)
            start = len(self._ops)
            self._ops += walk_regions(op.regions, walk)
            self._inside[op] = start, len(self._ops)
            if walk.walk_regions_first:
                self._ops.append(op)
        self._inside[module] = 0, len(self._ops)
        self._positions: dict[type[Operation], array[int]] = defaultdict(lambda: array("l"))
        for position, op in enumerate(self._ops):
            self._positions[type(op)].append(position)

    def __contains__(self, root: Operation) -> bool:
        return root in self._inside

    def select(self, root: Operation, wanted: Mapping[type[Operation], object]) -> list[Operation]:
        """The operations in `root`, without itself, whose class `wanted` maps to something true."""
        start, end = self._inside[root]
        chosen = [positions for kind, positions in self._positions.items() if wanted[kind]]
        if len(chosen) == len(self._positions):
            return self._ops[start:end]
        if end - start < len(self._ops):
            chosen = [each[bisect_left(each, start) : bisect_left(each, end)] for each in chosen]
        return [self._ops[position] for position in (sorted(chain(*chosen)) if len(chosen) > 1 else chain(*chosen))]


class KeptWalks:
    """
    The walks over one module that are known.

    An operation that is inserted or moved may be anywhere in the order of its class, so those of its class are not
    known then. One that is erased is left out.
    """

    def __init__(self, module: ModuleOp):
        self._module = module
        self._known: dict[Walk, _Order] = {}
        self._inserted: set[type[Operation]] = set()
        """The classes of operations that were inserted or moved since the walks."""
        self._any_erased = False

    def select(self, root: Operation, walk: Walk, wanted: Mapping[type[Operation], object]) -> list[Operation]:
        """
        The operations in `root`, without itself, whose class `wanted` maps to something true, in the order of `walk`.

        `root` is the module or an operation at its top.
        """
        if any(wanted[kind] for kind in self._inserted):
            self.forget()
        found = self._order(FORWARD, root).select(root, wanted)
        # The reverse of a walk with outer operations first visits inner ones first. Where none of those that are found
        # is in another, the order is the same.
        if walk.walk_regions_first != walk.walk_reverse and any(op.regions for op in found):
            found = self._order(INNER_FIRST, root).select(root, wanted)
        if self._any_erased:
            found = [op for op in found if op.parent is not None]
        return found[::-1] if walk.walk_reverse else found

    def _order(self, walk: Walk, root: Operation) -> _Order:
        known = self._known.get(walk)
        if known is None or root not in known:
            known = self._known[walk] = _Order(self._module, walk)
        return known

    def insert(self, op: Operation) -> None:
        """Record that `op` is inserted or moved, with all that is in it."""
        if self._known:
            self._inserted.add(type(op))
            if op.regions:
                self._inserted.update(map(type, walk_regions(op.regions, FORWARD)))

    def erase(self, op: Operation) -> None:
        """Record that `op` is erased, with all that is in it."""
        self._any_erased = True

    def forget(self) -> None:
        """Walk again when asked next."""
        self._known.clear()
        self._inserted.clear()
        self._any_erased = False


_KEPT: dict[Operation, KeptWalks] = {}
"""By module, its walks, while a pipeline runs on it."""


@contextmanager
def walks_kept(module: ModuleOp) -> Generator[None]:
    """Keep the walks over `module` within the context. All changes of the module go through our driver."""
    is_outermost = module not in _KEPT
    _KEPT.setdefault(module, KeptWalks(module))
    try:
        yield
    finally:
        if is_outermost:
            del _KEPT[module]


@contextmanager
def walks_not_kept(module: ModuleOp) -> Generator[None]:
    """Walk over `module` each time within the context, and forget the walks before it: any code may change it."""
    del _KEPT[module]
    try:
        yield
    finally:
        _KEPT[module] = KeptWalks(module)


def kept_walks_over(root: Operation) -> KeptWalks | None:
    """The kept walks over `root`, a module or an operation at the top of one; None if there are none."""
    if not _KEPT or root in _KEPT:
        return _KEPT.get(root)
    return None if root.parent is None else _KEPT.get(root.parent.parent_op())  # pyright: ignore


def kept_walks_around(root: Operation | Region) -> KeptWalks | None:
    """The kept walks over the module around `root`, or that `root` is; None if there are none."""
    if not _KEPT:
        return None
    op = root.parent if isinstance(root, Region) else root
    while op is not None and op not in _KEPT:
        op = op.parent_op()
    return None if op is None else _KEPT[op]
